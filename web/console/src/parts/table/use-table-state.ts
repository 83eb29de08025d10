import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'

type Changes<Filter extends string> = Partial<Record<Filter | 'cursor', string | undefined>>

export interface TableState<Filter extends string = never> {
  /** Returns the value of a filter; empty without one. */
  get(filter: Filter | 'cursor'): string
  /** Returns the URL of the first page with other filters. `undefined` removes a filter. */
  urlWith(changes: Changes<Filter>): string
  /** Replaces filters. */
  change(changes: Changes<Filter>): void
  /** Shows the page at a cursor. */
  goOn(cursor: string): void
  /** Shows the page before, if the table began at an earlier one. */
  goBack: (() => void) | undefined
  /** Whether the present page is the first one. */
  isFirst: boolean
  /** The URL of the present page, below that of the console. */
  url: string
}

/** The filters and the page of a table, which are in the URL, so that each state of it has a link. */
export function useTableState<Filter extends string = never>(): TableState<Filter> {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const filter = useMemo(() => new URLSearchParams(search), [search])
  const trail = useHistoryState<{ trail?: readonly string[] } | null>()?.trail ?? []
  const cursor = filter.get('cursor')
  const urlWith = (changes: Changes<Filter>): string => {
    const next = new URLSearchParams(filter)
    next.delete('cursor')
    for (const [name, value] of Object.entries<string | undefined>(changes)) {
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    return text === '' ? path : `${path}?${text}`
  }
  const goTo = (at: string, state: { trail: readonly string[] }): void => {
    navigate(urlWith({ cursor: at } as Changes<Filter>), { state })
    scrollTo(0, 0)
  }
  return {
    get: (name) => filter.get(name) ?? '',
    urlWith,
    change: (changes) => navigate(urlWith(changes), { replace: true }),
    goOn: (next) => goTo(next, { trail: [...trail, cursor ?? ''] }),
    goBack: trail.length === 0 ? undefined : () => goTo(trail.at(-1) ?? '', { trail: trail.slice(0, -1) }),
    isFirst: cursor === null,
    url: search === '' ? path : `${path}?${search}`,
  }
}
