import { Loading, Page } from '@platen/app/frame'
import type { Order, OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useLocation } from 'wouter'
import { DisputedPill } from '../../orders/disputed-pill.tsx'
import { Holds } from '../../orders/order/holds/holds.tsx'
import { ItemsSection } from '../../orders/order/items/items-section.tsx'
import { NotesSection } from '../../orders/order/notes-section.tsx'
import { ParcelsSection } from '../../orders/order/parcels-section.tsx'
import { ShippingSection } from '../../orders/order/shipping-section.tsx'
import { useShownOrder } from '../../orders/order/use-shown-order.ts'
import { ORDER_STATUS } from '../../orders/status.ts'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { RecordHeading } from '../../parts/page/record-heading.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Failure } from '../../shell/failure.tsx'
import { ScanField } from '../scan/scan-field.tsx'
import { StationActions } from './station-actions.tsx'
import { useNextStep } from './use-next-step.ts'

const BACK = '/production'

/** An order at the workplace: in large type, with one button for what comes next. */
export function StationPage({ orderId, user }: { orderId: string; user: OwnUser }) {
  const { text } = useTexts()
  const { query: order, failure } = useShownOrder(orderId)
  const back = { href: BACK, text: text('console.production') }
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
  return (
    <>
      <Crumbs back={back} />
      <Station order={order.data} user={user} />
    </>
  )
}

function Station({ order, user }: { order: Order; user: OwnUser }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const step = useNextStep(order)
  const status = ORDER_STATUS[order.status]
  return (
    <div className="station">
      <Page
        title={order.number}
        heading={
          <RecordHeading>
            <span className="order-number">{order.number}</span>
            <Pill tone={status.tone}>{text(status.text)}</Pill>
            <DisputedPill payment={order.payment} />
          </RecordHeading>
        }
        actions={<StationActions order={order} step={step} />}
      >
        <ScanField
          {...(step.title === undefined ? {} : { hint: text('consoleProduction.scanAgain', { action: step.title }) })}
          onFound={({ id }) => {
            if (id === order.id) step.run()
            else navigate(`${BACK}/${id}`)
          }}
        />
        <Holds order={order} />
        <div className="columns">
          <div className="column">
            <ItemsSection order={order} />
          </div>
          <div className="column">
            <ShippingSection order={order} user={user} />
            <ParcelsSection order={order} user={user} />
            <NotesSection order={order} user={user} />
          </div>
        </div>
      </Page>
    </div>
  )
}
