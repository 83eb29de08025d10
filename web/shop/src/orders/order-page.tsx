import { Loading, MoreTexts, Page } from '@platen/app/frame'
import { PostalAddressLines } from '@platen/app/postal-address'
import { useAccount } from '@platen/app/session'
import type { Order } from '@platen/client'
import { Banner, Button, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { KeepHint } from '../designs/keep-hint.tsx'
import { paymentProvider } from '../shell/config.ts'
import { Failure } from '../shell/failures/failure.tsx'
import { CancelOrder } from './actions/cancel-order.tsx'
import { HoldPanel } from './actions/hold-panel.tsx'
import { ReturnedPayment, usePaymentReturn } from './actions/returned-payment.tsx'
import { useReorder } from './actions/use-reorder.ts'
import { OrderItems } from './order-items.tsx'
import { Parcels } from './parcels.tsx'
import { Progress } from './progress.tsx'
import { orderQuery, payPathOf } from './queries.ts'
import { Refunds } from './refunds.tsx'
import { helpOf, STATUS_TEXTS } from './status.ts'
import { Timeline } from './timeline.tsx'
import { Totals } from './totals.tsx'
import { UnbrokenNumber } from './unbroken-number.tsx'

export function OrderPage({ orderId }: { orderId: string }) {
  return (
    <MoreTexts groups={['order']}>
      <LoadedOrder orderId={orderId} />
    </MoreTexts>
  )
}

function LoadedOrder({ orderId }: { orderId: string }) {
  const { text } = useTexts()
  const account = useAccount()
  const { data, error, refetch } = useQuery({ ...orderQuery(orderId), enabled: account.kind !== 'none' })
  if (data !== undefined) return <OrderDetails order={data} />
  if (account.kind === 'none') return <Redirect to={`/sign-in?next=/orders/${orderId}`} replace />
  if (error === null) return <Loading />
  const missing = { missing: text('order.missing'), missingHelp: text('order.missingHelp') }
  return <Failure error={error} onRetry={() => void refetch()} {...missing} />
}

function OrderDetails({ order }: { order: Order }) {
  const { text, formats } = useTexts()
  const account = useAccount()
  const title = text('order.orderNumber', { number: order.number })
  return (
    <Page title={title} heading={<UnbrokenNumber text={title} number={order.number} />} width="wide">
      <p className="order-line">
        <span className={`status ${order.status}`}>{text(STATUS_TEXTS[order.status])}</span>
        <span className="note">{text('order.orderedOn', { date: formats.date(order.createdAt) })}</span>
      </p>
      <Confirmation order={order} />
      <ReturnedPayment order={order} />
      {account.kind === 'guest' ? <KeepHint /> : null}
      <div className="order">
        <div className="order-main">
          <Now order={order} />
          <HoldPanel order={order} />
          <Parcels order={order} />
          <OrderItems order={order} />
        </div>
        <div className="order-side">
          <section className="card-section">
            <h2>{text('order.amounts')}</h2>
            <Totals amounts={order.amounts} taxIncluded={order.taxIncluded} />
            <Refunds payment={order.payment} />
          </section>
          <section className="card-section">
            <h2>{text('order.shippingAddress')}</h2>
            <PostalAddressLines address={order.shippingAddress} />
          </section>
          <Timeline timeline={order.timeline} />
        </div>
      </div>
    </Page>
  )
}

/** Thanks the customer who has just ordered or paid. */
function Confirmation({ order }: { order: Order }) {
  const { text } = useTexts()
  const state = useHistoryState<{ isNew?: boolean } | null>()
  const { status } = order
  if (state?.isNew !== true) return null
  if (status === 'confirmed') {
    return (
      <Banner tone="good" isLive>
        <UnbrokenNumber text={text('order.thanksPaid', { number: order.number })} number={order.number} />
      </Banner>
    )
  }
  if (status !== 'awaiting_payment' || payPathOf(order) !== undefined) return null
  return (
    <Banner tone="good" isLive>
      <UnbrokenNumber text={text('order.thanks', { number: order.number })} number={order.number} />
    </Banner>
  )
}

/** Where the order is, and what the customer can do now. */
function Now({ order }: { order: Order }) {
  const { text } = useTexts()
  const reorder = useReorder(order)
  const payPath = payPathOf(order)
  const isConfirming = usePaymentReturn(order) === 'returned'
  return (
    <section className="card-section">
      <Progress order={order} />
      <p>{text(helpOf(order))}</p>
      {order.status === 'awaiting_payment' && paymentProvider === 'manual' ? (
        <p>
          <UnbrokenNumber text={text('order.payByArrangement', { number: order.number })} number={order.number} />
        </p>
      ) : null}
      <div className="row">
        {payPath === undefined || isConfirming ? null : (
          <Link href={payPath} className="pl-button primary">
            {text('order.pay')}
          </Link>
        )}
        <Button onPress={reorder}>
          <Icon name="cart" size={20} />
          {text('order.reorder')}
        </Button>
        <CancelOrder order={order} />
      </div>
    </section>
  )
}
