import { Loading, Page } from '@platen/app/frame'
import { EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../../shell/failure.tsx'
import { orderListQuery } from '../queries.ts'
import { OrderTable } from './order-table.tsx'
import { Pager } from './pager.tsx'
import { StatusLinks } from './status-links.tsx'
import { useListState } from './use-list-state.ts'

export function OrderListPage() {
  const { text } = useTexts()
  const state = useListState()
  const orders = useQuery(orderListQuery(state.query))
  if (orders.error !== null && orders.data === undefined) {
    return <Failure error={orders.error} onRetry={() => void orders.refetch()} />
  }
  return (
    <Page title={text('console.orders')}>
      <StatusLinks state={state} />
      {orders.data === undefined ? (
        <Loading />
      ) : orders.data.data.length === 0 ? (
        <EmptyState icon="package" title={text('console.noOrders')} />
      ) : (
        <>
          <OrderTable orders={orders.data.data} isStale={orders.isPlaceholderData} />
          <Pager state={state} nextCursor={orders.data.nextCursor} />
        </>
      )}
    </Page>
  )
}
