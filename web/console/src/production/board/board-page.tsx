import { Page } from '@platen/app/frame'
import { Button, NativeSelect, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useLocation } from 'wouter'
import { moveInLists } from '../../keys/rows.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { BulkBar } from '../../orders/bulk/bulk-bar.tsx'
import { useSelection } from '../../orders/bulk/use-selection.ts'
import { productNamesQuery } from '../../orders/product-names.ts'
import { shippingMethodNamesQuery } from '../../orders/shipping-method-names.ts'
import type { PageProps } from '../../shell/console-page.ts'
import { ScanField } from '../scan/scan-field.tsx'
import { BoardColumn } from './board-column.tsx'
import { useBoard } from './use-board.ts'
import { type BoardState, useBoardState } from './use-board-state.ts'
import { useKeptFocus } from './use-kept-focus.ts'

/** What is to be made next: by due date, by product or by shipping method. */
export function BoardPage({ user }: PageProps) {
  const { text } = useTexts()
  const state = useBoardState()
  const area = useRef<HTMLDivElement>(null)
  const board = useBoard(state.filter, area)
  const selection = useSelection(board.columns.flatMap(({ rows }) => rows))
  const [, navigate] = useLocation()
  useKeptFocus(area)
  useShortcuts([
    { keys: 'l', moves: true, title: 'console.shortcutNextColumn', run: () => moveInLists('.board-column', 1) },
    { keys: 'h', moves: true, title: 'console.shortcutPreviousColumn', run: () => moveInLists('.board-column', -1) },
    { keys: 'a a', moves: true, title: 'console.shortcutNextStepOfCard', run: leadOn },
  ])
  return (
    <Page title={text('console.production')}>
      <div className="board-tools">
        <ScanField onFound={({ id }) => navigate(`/production/${id}`)} />
        <BoardFilters state={state} />
      </div>
      <BulkBar selection={selection} user={user} />
      <div className="board" ref={area}>
        {board.columns.map((column) => (
          <BoardColumn
            key={column.status}
            column={column}
            all={state.tableOf(column.status)}
            grouping={state.grouping}
            selection={selection}
          />
        ))}
        <div className="board-news" role="status">
          {board.changes === 0 ? null : (
            <Button onPress={board.showChanges}>{text('consoleProduction.changes', { count: board.changes })}</Button>
          )}
        </div>
      </div>
    </Page>
  )
}

/** Presses the button of the card that has the focus. */
const leadOn = (): void =>
  document.activeElement?.closest('.board-card')?.querySelector<HTMLElement>(':scope > .pl-button')?.click()

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
        label={text('console.filterShippingMethod')}
        placeholder={text('console.allShippingMethods')}
        choices={methods.data ?? []}
        value={state.get('shipping')}
        onChange={(shipping) => state.change({ shipping })}
      />
    </div>
  )
}
