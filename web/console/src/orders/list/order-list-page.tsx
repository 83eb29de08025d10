import { saveBlob } from '@platen/app/files'
import { Loading, notices, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { ListedOrder } from '@platen/client'
import { Button, EmptyState, Icon, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { changedOrders } from '../../live/changed-orders.ts'
import { NewsBar } from '../../parts/table/news-bar.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { usePlace } from '../../parts/table/use-place.ts'
import type { PageProps } from '../../shell/console-page.ts'
import { Failure } from '../../shell/failure.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { type Selected, useSelection } from '../bulk/use-selection.ts'
import { mayOrder } from '../new/may-order.ts'
import { orderListQuery } from '../queries.ts'
import { ImportDialog } from '../shipment-import/import-dialog.tsx'
import { FilterBar } from './filter-bar.tsx'
import { OrderTable } from './order-table.tsx'
import { SavedViews, SaveView, useSavedViews } from './saved-views.tsx'
import { StatusLinks } from './status-links.tsx'
import { type ListState, useListState } from './use-list-state.ts'

const NO_ROWS: readonly ListedOrder[] = []

export function OrderListPage({ user }: PageProps) {
  const { text } = useTexts()
  const state = useListState()
  const orders = useQuery(orderListQuery(state.query))
  const rows = orders.data?.data ?? NO_ROWS
  const isRead = orders.data !== undefined
  const selection = useSelection(rows)
  const views = useSavedViews(user.id, state)
  const statuses = state.query.status?.split(',')
  const lastOpened = usePlace(state.url, isRead)
  if (orders.error !== null && !isRead) {
    return <Failure error={orders.error} onRetry={() => void orders.refetch()} />
  }
  return (
    <Page
      title={text('console.orders')}
      actions={<ListActions state={state} user={user} rows={rows} selected={selection.orders} />}
    >
      <StatusLinks state={state} />
      <SavedViews {...views} />
      <FilterBar state={state}>
        <SaveView {...views} />
      </FilterBar>
      <BulkBar selection={selection} user={user} />
      {isRead ? (
        <>
          {state.isFirst ? (
            <NewsBar
              news={changedOrders}
              rows={rows}
              isWanted={({ status, customerId, shippingMethod }) =>
                (statuses?.includes(status) ?? true) &&
                customerId === (state.query.customerId ?? customerId) &&
                shippingMethod === (state.query.shippingMethod ?? shippingMethod)
              }
              text={(count) => text('console.changedOrders', { count })}
              isFetching={orders.isFetching}
              onShow={() => void orders.refetch()}
            />
          ) : null}
          {rows.length === 0 ? (
            <EmptyState icon="package" title={text('console.noOrders')}>
              {text(state.query.q === undefined ? 'console.noOrdersHelp' : 'console.noOrdersFound')}
            </EmptyState>
          ) : (
            <OrderTable
              orders={rows}
              isStale={orders.isPlaceholderData}
              lastOpened={lastOpened}
              selection={selection}
            />
          )}
          <Pager state={state} nextCursor={orders.data?.nextCursor ?? null} />
        </>
      ) : (
        <Loading />
      )}
    </Page>
  )
}

/** The orders to ship: the selected ones, otherwise those of the page that can be shipped. */
const numbersOf = (selected: readonly Selected[], rows: readonly ListedOrder[]): readonly string[] =>
  (selected.length > 0 ? selected : rows.filter(canShip)).map(({ number }) => number)

const canShip = ({ availableActions }: ListedOrder): boolean =>
  availableActions.some(({ action, allowed }) => action === 'ship' && allowed)

interface ListActionsProps extends PageProps {
  state: ListState
  rows: readonly ListedOrder[]
  selected: readonly Selected[]
}

function ListActions({ state, user, rows, selected }: ListActionsProps) {
  const { text } = useTexts()
  const [isImporting, setIsImporting] = useState(false)
  const [, navigate] = useLocation()
  const mayImport = user.permissions.includes('shipping:write')
  useShortcuts([
    ...(mayOrder(user)
      ? [{ keys: 'n', title: 'console.newOrder' as const, moves: true, run: () => navigate('/orders/new') }]
      : []),
    ...(mayImport ? [{ keys: 'i', title: 'console.importShipments' as const, run: () => setIsImporting(true) }] : []),
  ])
  return (
    <div className="actions main-actions">
      {mayImport ? (
        <Button onPress={() => setIsImporting(true)}>
          <Icon name="upload" size={18} />
          {text('console.importShipments')}
        </Button>
      ) : null}
      <PickLists state={state} rows={rows} />
      {mayOrder(user) ? (
        <Link href="/orders/new" className="pl-button primary">
          <Icon name="plus" size={18} />
          {text('console.newOrder')}
        </Link>
      ) : null}
      {isImporting ? (
        <ImportDialog
          numbers={numbersOf(selected, rows)}
          numbersHelp="console.importTemplateHelp"
          onClose={() => setIsImporting(false)}
        />
      ) : null}
    </div>
  )
}

/** One PDF with the pick lists of the orders that the table shows, also after they have changed live. */
function PickLists({ state: { query }, rows }: { state: ListState; rows: readonly ListedOrder[] }) {
  const texts = useTexts()
  const pickLists = useMutation({
    mutationFn: async () => {
      const orderIds = rows.map(({ id }) => id).join(',')
      const shown = { orderIds, limit: rows.length, ...statusesOf(query, rows) }
      return (await platen.production.getPickLists({ ...shown, sort: query.sort })).blob()
    },
    onSuccess: (pdf) => saveBlob('pick-lists.pdf', pdf),
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
  const isEmpty = rows.length === 0
  useShortcuts(isEmpty ? [] : [{ keys: 'd', title: 'console.pickListsOfView', run: () => pickLists.mutate() }])
  return (
    <Button isPending={pickLists.isPending} isDisabled={isEmpty} onPress={() => pickLists.mutate()}>
      <Icon name="download" size={18} />
      {texts.text('console.pickListsOfView')}
    </Button>
  )
}

/** A view without a status or a search has also orders that have been shipped. The service leaves them out. */
const statusesOf = ({ status, q }: ListState['query'], rows: readonly ListedOrder[]): { status?: string } =>
  status === undefined && q === undefined ? {} : { status: [...new Set(rows.map((row) => row.status))].join(',') }
