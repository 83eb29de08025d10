import { Loading, MoreTexts, Page } from '@platen/app/frame'
import type { Order, OwnUser } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from 'wouter'
import { nameOf } from '../../customers/name-of.ts'
import { customerQuery } from '../../customers/queries.ts'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Failure, NotAllowedPage } from '../../shell/failure.tsx'
import { orderQuery } from '../queries.ts'
import { CustomerChoice } from './customer-choice.tsx'
import { mayOrder } from './may-order.ts'
import { OrderForm } from './order-form.tsx'

/** Orders for a customer who calls, writes or stands at the counter. */
export function NewOrderPage({ user }: { user: OwnUser }) {
  if (!mayOrder(user)) return <NotAllowedPage />
  return (
    <MoreTexts groups={['consoleNewOrder']}>
      <NewOrder user={user} />
    </MoreTexts>
  )
}

function NewOrder({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const [customerId, again] = [search.get('customer'), search.get('again')]
  const choose = (id: string): void => navigate(`/orders/new?customer=${encodeURIComponent(id)}`)
  const model = useQuery({ ...orderQuery(again ?? ''), enabled: again !== null })
  const back =
    again === null
      ? { href: '/orders', text: text('console.orders') }
      : { href: `/orders/${again}`, text: model.data?.number ?? text('console.order') }
  return (
    <>
      <Crumbs back={back} />
      <Page title={text('console.newOrder')}>
        {again === null && customerId === null ? <CustomerChoice user={user} onChoose={choose} /> : null}
        {again === null && customerId !== null ? (
          <OrderFor key={customerId} customerId={customerId} user={user} />
        ) : null}
        {again === null ? null : <OrderAgain key={again} orderId={again} user={user} />}
      </Page>
    </>
  )
}

/** Begins with what an earlier order had. */
function OrderAgain({ orderId, user }: { orderId: string; user: OwnUser }) {
  const { text } = useTexts()
  const order = useQuery(orderQuery(orderId))
  if (order.error !== null) {
    return (
      <Failure
        error={order.error}
        onRetry={() => void order.refetch()}
        missing={text('console.orderMissing')}
        back={{ href: '/orders/new', text: text('consoleNewOrder.another') }}
      />
    )
  }
  if (order.data === undefined) return <Loading />
  return <OrderFor customerId={order.data.customerId} user={user} again={order.data} />
}

interface OrderForProps {
  customerId: string
  user: OwnUser
  again?: Order
}

function OrderFor({ customerId, user, again }: OrderForProps) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const customer = useQuery(customerQuery(customerId))
  if (customer.error !== null) {
    return (
      <Failure
        error={customer.error}
        onRetry={() => void customer.refetch()}
        missing={text('console.customerMissing')}
        back={{ href: '/orders/new', text: text('consoleNewOrder.another') }}
      />
    )
  }
  if (customer.data === undefined) return <Loading />
  return (
    <div className="column">
      <Section
        title={text('console.customer')}
        action={<Button onPress={() => navigate('/orders/new')}>{text('consoleNewOrder.another')}</Button>}
      >
        <p className="customer-name">{nameOf(customer.data)}</p>
        {again === undefined ? null : (
          <p className="note">{text('consoleNewOrder.likeOrder', { number: again.number })}</p>
        )}
      </Section>
      <OrderForm customer={customer.data} user={user} again={again} />
    </div>
  )
}
