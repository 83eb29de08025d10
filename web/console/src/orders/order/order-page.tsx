import { Loading, Page } from '@platen/app/frame'
import type { Order, OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { RecordHeading } from '../../parts/page/record-heading.tsx'
import { Pill } from '../../parts/pill.tsx'
import { lastTableUrl, noteOpened } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { ActionBar } from '../actions/bar/action-bar.tsx'
import { DisputedPill } from '../disputed-pill.tsx'
import { ORDER_STATUS, PAYMENT_STATUS } from '../status.ts'
import { CustomerSection } from './customer-section.tsx'
import { Holds } from './holds/holds.tsx'
import { ItemsSection } from './items/items-section.tsx'
import { NotesSection } from './notes-section.tsx'
import { ParcelsSection } from './parcels-section.tsx'
import { PaymentSection } from './payment-section.tsx'
import { ShippingSection } from './shipping-section.tsx'
import { TimelineSection } from './timeline/timeline-section.tsx'
import { useShownOrder } from './use-shown-order.ts'

export function OrderPage({ orderId, user }: { orderId: string; user: OwnUser }) {
  const { text } = useTexts()
  const { query: order, failure } = useShownOrder(orderId)
  const back = { href: lastTableUrl('/orders'), text: text('console.orders') }
  if (failure !== null) {
    return (
      <Failure
        error={failure}
        onRetry={() => void order.refetch()}
        missing={text('console.orderMissing')}
        back={back}
      />
    )
  }
  if (order.data === undefined) return <Loading />
  noteOpened('/orders', orderId)
  return (
    <>
      <Crumbs back={back} />
      <Page
        title={order.data.number}
        heading={<Heading order={order.data} />}
        actions={<ActionBar order={order.data} user={user} />}
      >
        <OrderParts order={order.data} user={user} />
      </Page>
    </>
  )
}

function Heading({ order }: { order: Order }) {
  const { text, formats } = useTexts()
  const [status, payment] = [ORDER_STATUS[order.status], PAYMENT_STATUS[order.payment.status]]
  return (
    <RecordHeading>
      <span className="order-number">{order.number}</span>
      <Pill tone={status.tone}>{text(status.text)}</Pill>
      <Pill tone={payment.tone}>{text(payment.text)}</Pill>
      <DisputedPill payment={order.payment} />
      <span className="note order-placed">
        {text('console.placedOn', { date: formats.dateTime(order.createdAt) })}
        {order.externalReference === null ? null : ` · ${order.externalReference}`}
      </span>
    </RecordHeading>
  )
}

function OrderParts({ order, user }: { order: Order; user: OwnUser }) {
  return (
    <>
      <Holds order={order} />
      <div className="columns">
        <div className="column">
          <ItemsSection order={order} withPrintFiles />
          <ParcelsSection order={order} user={user} />
          <NotesSection order={order} user={user} />
          <TimelineSection order={order} />
        </div>
        <div className="column">
          <PaymentSection order={order} />
          <ShippingSection order={order} user={user} />
          <CustomerSection order={order} user={user} />
        </div>
      </div>
    </>
  )
}
