import type { OrderStatus } from '../../orders/status.ts'
import { useTableState } from '../../parts/table/use-table-state.ts'
import type { BoardFilter } from '../queries.ts'
import { GROUPINGS, type Grouping } from './groups.ts'

type BoardParameter = 'product' | 'shipping' | 'group'

/** What the board shows. It is in the URL, so that each workplace can have a bookmark of its own. */
export interface BoardState {
  grouping: Grouping
  filter: BoardFilter
  get(name: BoardParameter): string
  change(changes: Partial<Record<BoardParameter, string>>): void
  /** Returns the URL of the table with the orders of a status and these filters, in the order of the board. */
  tableOf(status: OrderStatus): string
}

export function useBoardState(): BoardState {
  const { get, change } = useTableState<BoardParameter>()
  const [productId, shippingMethod] = [get('product'), get('shipping')]
  // The table has these filters by the same names.
  const filters = [
    ['product', productId],
    ['shipping', shippingMethod],
  ].filter(([, value]) => value !== '')
  return {
    grouping: GROUPINGS.find((one) => one === get('group')) ?? 'due',
    filter: {
      ...(productId === '' ? {} : { productId }),
      ...(shippingMethod === '' ? {} : { shippingMethod }),
    },
    get,
    change,
    tableOf: (status) => `/orders?${new URLSearchParams([['status', status], ['sort', 'dueAt'], ...filters])}`,
  }
}
