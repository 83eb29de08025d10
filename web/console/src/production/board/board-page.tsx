import { Page } from '@platen/app/frame'
import { NativeSelect, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { BulkBar } from '../../orders/bulk/bulk-bar.tsx'
import { useSelection } from '../../orders/bulk/use-selection.ts'
import { productNamesQuery } from '../../orders/product-names.ts'
import { shippingMethodNamesQuery } from '../../orders/shipping-method-names.ts'
import type { OrderStatus } from '../../orders/status.ts'
import type { PageProps } from '../../shell/console-page.ts'
import { ScanField } from '../scan/scan-field.tsx'
import { BoardColumn } from './board-column.tsx'
import { type BoardState, useBoardState } from './use-board-state.ts'

/** The columns, in the order in which orders go through them. */
const COLUMNS: readonly OrderStatus[] = ['confirmed', 'in_production', 'partially_shipped', 'on_hold']

/** What is to be made next: by due date, by product or by shipping method. */
export function BoardPage({ user }: PageProps) {
  const { text } = useTexts()
  const state = useBoardState()
  const selection = useSelection()
  const [, navigate] = useLocation()
  return (
    <Page title={text('console.production')}>
      <div className="board-tools">
        <ScanField onFound={({ id }) => navigate(`/production/${id}`)} />
        <BoardFilters state={state} />
      </div>
      <BulkBar selection={selection} user={user} />
      <div className="board">
        {COLUMNS.map((status) => (
          <BoardColumn key={status} status={status} state={state} selection={selection} />
        ))}
      </div>
    </Page>
  )
}

function BoardFilters({ state }: { state: BoardState }) {
  const { text } = useTexts()
  const products = useQuery(productNamesQuery())
  const methods = useQuery(shippingMethodNamesQuery())
  return (
    <div className="board-filters">
      <NativeSelect
        label={text('consoleProduction.groupBy')}
        placeholder={text('consoleProduction.byDueDate')}
        choices={[
          { id: 'product', text: text('consoleProduction.byProduct') },
          { id: 'shipping', text: text('consoleProduction.byShipping') },
        ]}
        value={state.grouping === 'due' ? '' : state.grouping}
        onChange={(group) => state.change({ group })}
      />
      <NativeSelect
        label={text('console.product')}
        placeholder={text('console.allProducts')}
        choices={products.data ?? []}
        value={state.get('product')}
        onChange={(product) => state.change({ product })}
      />
      <NativeSelect
        label={text('consoleProduction.byShipping')}
        placeholder={text('consoleProduction.allShippingMethods')}
        choices={methods.data ?? []}
        value={state.get('shipping')}
        onChange={(shipping) => state.change({ shipping })}
      />
    </div>
  )
}
