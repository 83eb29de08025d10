import { isCountryCode } from '@platen/app/postal-address'
import type { ListProductionOrdersQuery } from '@platen/client'
import { useMemo } from 'react'
import { useSearch } from 'wouter'
import { timesOfDays } from '../../parts/table/days.ts'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../status.ts'

/** Rows of a page. */
const PAGE_SIZE = 50

/** Characters of the id of a shipping method. */
const MOST_OF_ID = 64

/** The filters, by their names in the URL. */
export const FILTERS = [
  'status',
  'payment',
  'late',
  'disputed',
  'files',
  'q',
  'country',
  'product',
  'shipping',
  'customer',
  'from',
  'to',
  'sort',
] as const
export type Filter = (typeof FILTERS)[number]

export interface ListState extends TableState<Filter> {
  query: ListProductionOrdersQuery
}

/** The state of the table of orders. */
export function useListState(): ListState {
  const search = useSearch()
  const query = useMemo(() => queryOf(new URLSearchParams(search)), [search])
  return { ...useTableState<Filter>(), query }
}

/** Leaves out what the service would refuse, because a URL may have been typed. */
function queryOf(filter: URLSearchParams): ListProductionOrdersQuery {
  const known: readonly string[] = ORDER_STATUSES
  const status = (filter.get('status') ?? '').split(',').filter((one) => known.includes(one))
  const payments: readonly string[] = PAYMENT_STATUSES
  const payment = filter.get('payment') ?? ''
  const [cursor, product, words] = ['cursor', 'product', 'q'].map((name) => filter.get(name) ?? '')
  const customer = filter.get('customer') ?? ''
  const shipping = filter.get('shipping') ?? ''
  const country = filter.get('country') ?? ''
  return {
    limit: PAGE_SIZE,
    ...(status.length === 0 ? {} : { status: status.join(',') }),
    ...(payments.includes(payment) ? { paymentStatus: payment } : {}),
    ...(filter.get('late') === 'true' ? { late: 'true' as const } : {}),
    ...(filter.get('disputed') === 'true' ? { disputed: 'true' as const } : {}),
    ...(filter.get('files') === 'failed' ? { personalization: 'failed' as const } : {}),
    ...(cursor === '' ? {} : { cursor }),
    ...(product === '' ? {} : { productId: product }),
    ...(shipping === '' || shipping.length > MOST_OF_ID ? {} : { shippingMethod: shipping }),
    ...(/^cus_\w+$/.test(customer) ? { customerId: customer } : {}),
    ...(words?.trim() === '' ? {} : { q: words?.trim() }),
    ...(isCountryCode(country) ? { country } : {}),
    ...timesOf(filter.get('from') ?? '', filter.get('to') ?? ''),
    ...sortOf(filter.get('sort')),
  }
}

function sortOf(sort: string | null): Pick<ListProductionOrdersQuery, 'sort'> {
  return sort === 'createdAt' || sort === 'dueAt' ? { sort } : {}
}

function timesOf(fromDay: string, toDay: string): Pick<ListProductionOrdersQuery, 'createdFrom' | 'createdTo'> {
  const { from, to } = timesOfDays(fromDay, toDay)
  return { ...(from === undefined ? {} : { createdFrom: from }), ...(to === undefined ? {} : { createdTo: to }) }
}
