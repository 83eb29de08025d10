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
}

export function useBoardState(): BoardState {
  const { get, change } = useTableState<BoardParameter>()
  const [productId, shippingMethod] = [get('product'), get('shipping')]
  return {
    grouping: GROUPINGS.find((one) => one === get('group')) ?? 'due',
    filter: {
      ...(productId === '' ? {} : { productId }),
      ...(shippingMethod === '' ? {} : { shippingMethod }),
    },
    get,
    change,
  }
}
