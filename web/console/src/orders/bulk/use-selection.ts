import type { ListedOrder } from '@platen/client'
import { useEffect, useRef, useState } from 'react'

/** How many orders one request can change. */
export const MOST_SELECTED = 200

/** What an action on several orders needs of each. */
export type Changeable = Pick<ListedOrder, 'id' | 'number' | 'revision'>

export type Selected = Pick<ListedOrder, 'id' | 'number' | 'revision' | 'status' | 'payment' | 'availableActions'>

export interface Selection {
  /** The selected orders of all pages, each as it was last shown. */
  orders: readonly Selected[]
  /** Whether the last choice was refused, because `MOST_SELECTED` would be exceeded. */
  isFull: boolean
  isSelected(id: string): boolean
  /**
   * Selects or deselects an order.
   *
   * @param among orders in the order in which they are shown: all from the one that was toggled last to this one change
   */
  toggle(order: ListedOrder, among?: readonly ListedOrder[]): void
  /** Selects all orders of a page, or none of them. */
  toggleAll(page: readonly ListedOrder[], isOn: boolean): void
  clear(): void
  /** Deselects all orders but these, and selects each as it has become. */
  keep(left: ReadonlyMap<string, Become>): void
}

/** What an action has changed of a selected order. Empty: it is as it was. */
export type Become = Partial<Pick<Selected, 'revision' | 'status' | 'availableActions'>>

interface State {
  selected: ReadonlyMap<string, Selected>
  isFull: boolean
}

const EMPTY: State = { selected: new Map(), isFull: false }

/**
 * The orders that the operator has selected. They stay selected on other pages and with other filters.
 *
 * @param shown the orders that the operator sees now. A selected order that changes among them is selected as it is
 * then. Others stay as they were, so that the service refuses to change what the operator has not seen.
 */
export function useSelection(shown: readonly ListedOrder[]): Selection {
  const [{ selected, isFull }, setState] = useState<State>(EMPTY)
  useEffect(() => setState((before) => follow(before, shown)), [shown])
  const last = useRef<string>(undefined)
  const change = (edit: (next: Map<string, Selected>) => void): void =>
    setState((before) => {
      const next = new Map(before.selected)
      edit(next)
      return next.size > MOST_SELECTED ? { ...before, isFull: true } : { selected: next, isFull: false }
    })
  const setAll = (orders: readonly ListedOrder[], isOn: boolean): void =>
    change((next) => {
      for (const order of orders) {
        if (isOn) next.set(order.id, toSelected(order))
        else next.delete(order.id)
      }
    })
  return {
    orders: [...selected.values()],
    isFull,
    isSelected: (id) => selected.has(id),
    toggle: (order, among = []) => {
      setAll(rangeOf(among, last.current, order), !selected.has(order.id))
      last.current = order.id
    },
    toggleAll: setAll,
    clear: () => setState(EMPTY),
    keep: (left) =>
      change((next) => {
        for (const [id, one] of next) {
          const now = left.get(id)
          if (now === undefined) next.delete(id)
          // A row that is shown may already have a later revision.
          else if ((now.revision ?? 0) > one.revision) next.set(id, { ...one, ...now })
        }
      }),
  }
}

const toSelected = ({ id, number, revision, status, payment, availableActions }: ListedOrder): Selected => ({
  ...{ id, number, revision, status, payment, availableActions },
})

/** Returns the same state if all selected orders are as they are shown. */
function follow(before: State, shown: readonly ListedOrder[]): State {
  const changed = shown.filter((order) => {
    const one = before.selected.get(order.id)
    if (one === undefined || order.revision < one.revision) return false
    return order.revision > one.revision || order.availableActions !== one.availableActions
  })
  if (changed.length === 0) return before
  const now = changed.map((order) => [order.id, toSelected(order)] as const)
  return { ...before, selected: new Map([...before.selected, ...now]) }
}

/** Returns the orders between two of them, with both. Without the first one, only the other. */
function rangeOf(among: readonly ListedOrder[], from: string | undefined, to: ListedOrder): readonly ListedOrder[] {
  const ends = [among.findIndex(({ id }) => id === from), among.findIndex(({ id }) => id === to.id)]
  const [first, end] = [Math.min(...ends), Math.max(...ends)]
  return first < 0 ? [to] : among.slice(first, end + 1)
}
