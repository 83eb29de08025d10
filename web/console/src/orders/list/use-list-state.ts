import { isCountryCode } from '@platen/app/postal-address'
import type { ListOrdersQuery } from '@platen/client'
import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../status.ts'

/** Rows of a page. */
const PAGE_SIZE = 50

/** The filters, by their names in the URL. */
export const FILTERS = ['status', 'payment', 'late', 'q', 'country', 'product', 'from', 'to', 'sort'] as const
export type Filter = (typeof FILTERS)[number]
type Changes = Partial<Record<Filter | 'cursor', string | undefined>>

export interface ListState {
  /** Returns the value of a filter; empty without one. */
  get(filter: Filter): string
  query: ListOrdersQuery
  /** Returns the URL of the first page with other filters. `undefined` removes a filter. */
  urlWith(changes: Changes): string
  /** Replaces filters. */
  change(changes: Changes): void
  /** Shows the page at a cursor. */
  goOn(cursor: string): void
  /** Shows the page before, if the table began at an earlier one. */
  goBack: (() => void) | undefined
  /** Whether the present page is the first one. */
  isFirst: boolean
  /** The URL of the present page, below that of the console. */
  url: string
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
  const goTo = (at: string, state: { trail: readonly string[] }): void => {
    navigate(urlWith({ cursor: at }), { state })
    scrollTo(0, 0)
  }
  return {
    get: (name) => filter.get(name) ?? '',
    query,
    urlWith,
    change: (changes) => navigate(urlWith(changes), { replace: true }),
    goOn: (next) => goTo(next, { trail: [...trail, cursor ?? ''] }),
    goBack: trail.length === 0 ? undefined : () => goTo(trail.at(-1) ?? '', { trail: trail.slice(0, -1) }),
    isFirst: cursor === null,
    url: search === '' ? path : `${path}?${search}`,
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Leaves out what the service would refuse, because a URL may have been typed. */
function queryOf(filter: URLSearchParams): ListOrdersQuery {
  const known: readonly string[] = ORDER_STATUSES
  const status = (filter.get('status') ?? '').split(',').filter((one) => known.includes(one))
  const payments: readonly string[] = PAYMENT_STATUSES
  const payment = filter.get('payment') ?? ''
  const [cursor, product, words] = ['cursor', 'product', 'q'].map((name) => filter.get(name) ?? '')
  const country = filter.get('country') ?? ''
  return {
    limit: PAGE_SIZE,
    ...(status.length === 0 ? {} : { status: status.join(',') }),
    ...(payments.includes(payment) ? { paymentStatus: payment } : {}),
    ...(filter.get('late') === 'true' ? { late: 'true' as const } : {}),
    ...(cursor === '' ? {} : { cursor }),
    ...(product === '' ? {} : { productId: product }),
    ...(words?.trim() === '' ? {} : { q: words?.trim() }),
    ...(isCountryCode(country) ? { country } : {}),
    ...timesOf(filter.get('from') ?? '', filter.get('to') ?? ''),
    ...(filter.get('sort') === 'createdAt' ? { sort: 'createdAt' } : {}),
  }
}

/** Days are those of the browser, and the last one counts as a whole. */
function timesOf(from: string, to: string): Pick<ListOrdersQuery, 'createdFrom' | 'createdTo'> {
  const startOf = (day: string, later: number): string | undefined => {
    if (!DAY.test(day)) return undefined
    const time = new Date(`${day}T00:00:00`)
    time.setDate(time.getDate() + later)
    return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
  }
  const [createdFrom, createdTo] = [startOf(from, 0), startOf(to, 1)]
  return { ...(createdFrom === undefined ? {} : { createdFrom }), ...(createdTo === undefined ? {} : { createdTo }) }
}
