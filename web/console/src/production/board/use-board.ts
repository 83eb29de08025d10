import type { ListedOrder, OrderList } from '@platen/client'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { OrderStatus } from '../../orders/status.ts'
import { type BoardFilter, boardQuery } from '../queries.ts'
import { usePointerInside } from './use-pointer-inside.ts'

/** The columns, in the order in which orders go through them. */
export const COLUMNS: readonly OrderStatus[] = ['confirmed', 'in_production', 'partially_shipped', 'on_hold']

/** What a column shows. */
export interface ColumnState {
  status: OrderStatus
  rows: readonly ListedOrder[]
  hasMore: boolean
  isPending: boolean
  error: Error | null
}

export interface Board {
  columns: readonly ColumnState[]
  /** How many orders have changed since the board was last in use. They are shown as soon as the pointer leaves. */
  changes: number
  /** Shows the changes now. */
  showChanges(): void
}

type Pages = readonly (OrderList | undefined)[]

/**
 * Reads the board, which follows the work of others. While the pointer is on it, its cards stay where they are: a press
 * must not hit another order. What the operator changes is shown at once.
 */
export function useBoard(filter: BoardFilter, area: RefObject<HTMLElement | null>): Board {
  const queries = useQueries({ queries: COLUMNS.map((status) => boardQuery(status, filter)) })
  const key = JSON.stringify(filter)
  const pages: Pages = queries.map(({ data }) => data)
  const isUsed = usePointerInside(area)
  const isChanging = useIsChanging()
  const [held, setHeld] = useState({ key, pages })
  const isHeld = isUsed && !isChanging && held.key === key && !held.pages.includes(undefined)
  const shown = isHeld ? held.pages : pages
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array is a new one each time, its pages are not
  useEffect(() => {
    if (!isHeld) setHeld({ key, pages })
  }, [isHeld, key, ...pages])
  // The end of a change and what it has changed can be rendered together.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the end of a change takes the pages
  useEffect(() => {
    if (!isChanging) setHeld({ key, pages })
  }, [isChanging])
  return {
    columns: COLUMNS.map((status, index) => ({
      status,
      rows: shown[index]?.data ?? [],
      hasMore: (shown[index]?.nextCursor ?? null) !== null,
      isPending: queries[index]?.isPending === true,
      error: queries[index]?.error ?? null,
    })),
    changes: isHeld ? countChanges(held.pages, pages) : 0,
    showChanges: () => setHeld({ key, pages }),
  }
}

/** Tells whether a change is under way. `useIsMutating` does the same, but would be part of the scripts of the shop. */
function useIsChanging(): boolean {
  const client = useQueryClient()
  const subscribe = useCallback((onChange: () => void) => client.getMutationCache().subscribe(onChange), [client])
  return useSyncExternalStore(subscribe, () => client.isMutating() > 0)
}

/** Counts the orders that are new, gone, changed or in another column. */
function countChanges(before: Pages, now: Pages): number {
  const [old, present] = [placesOf(before), placesOf(now)]
  return [...new Set([...old.keys(), ...present.keys()])].filter((id) => old.get(id) !== present.get(id)).length
}

const placesOf = (pages: Pages): ReadonlyMap<string, string> =>
  new Map(
    pages.flatMap((page, index) => page?.data.map(({ id, revision }) => [id, `${index} ${revision}`] as const) ?? []),
  )
