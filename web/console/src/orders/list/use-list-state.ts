import type { ListOrdersQuery } from '@platen/client'
import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { ORDER_STATUSES } from '../status.ts'

/** Rows of a page. */
const PAGE_SIZE = 50

export interface ListState {
  filter: URLSearchParams
  query: ListOrdersQuery
  /** Returns the URL of the first page with other filters. `undefined` removes a filter. */
  urlWith(changes: Readonly<Record<string, string | undefined>>): string
  /** Replaces filters. */
  change(changes: Readonly<Record<string, string | undefined>>): void
  /** Shows the page at a cursor. */
  goOn(cursor: string): void
  /** Shows the page before, if the table began at an earlier one. */
  goBack: (() => void) | undefined
  /** Whether the present page is the first one. */
  isFirst: boolean
}

/** The filters and the page of the table, which are in the URL, so that each state of it has a link. */
export function useListState(): ListState {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const filter = useMemo(() => new URLSearchParams(search), [search])
  const query = useMemo(() => queryOf(filter), [filter])
  const trail = useHistoryState<{ trail?: readonly string[] } | null>()?.trail ?? []
  const cursor = filter.get('cursor')
  const urlWith: ListState['urlWith'] = (changes) => {
    const next = new URLSearchParams(filter)
    next.delete('cursor')
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    return text === '' ? path : `${path}?${text}`
  }
  return {
    filter,
    query,
    urlWith,
    change: (changes) => navigate(urlWith(changes), { replace: true }),
    goOn: (next) => navigate(urlWith({ cursor: next }), { state: { trail: [...trail, cursor ?? ''] } }),
    goBack:
      trail.length === 0
        ? undefined
        : () => navigate(urlWith({ cursor: trail.at(-1) ?? '' }), { state: { trail: trail.slice(0, -1) } }),
    isFirst: cursor === null,
  }
}

/** Leaves out what the service would refuse, because a URL may have been typed. */
function queryOf(filter: URLSearchParams): ListOrdersQuery {
  const known: readonly string[] = ORDER_STATUSES
  const status = (filter.get('status') ?? '').split(',').filter((one) => known.includes(one))
  const cursor = filter.get('cursor')
  return {
    limit: PAGE_SIZE,
    ...(status.length === 0 ? {} : { status: status.join(',') }),
    ...(cursor === null ? {} : { cursor }),
  }
}
