import { Loading, Page } from '@platen/app/frame'
import type { Customer, OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { mayUse } from '../access/may-use.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { OrderTable } from '../orders/list/order-table.tsx'
import { mayOrder } from '../orders/new/may-order.ts'
import { ordersOfCustomerQuery } from '../orders/queries.ts'
import { Crumbs } from '../parts/page/crumbs.tsx'
import { Facts, Section } from '../parts/page/section.tsx'
import { lastTableUrl, noteOpened } from '../parts/table/use-place.ts'
import { Failure } from '../shell/failure.tsx'
import { problemText } from '../shell/problem-text.ts'
import { StorageSection } from '../storage/storage-section.tsx'
import { CustomerActions } from './actions/customer-actions.tsx'
import { kindText } from './kind-text.ts'
import { nameOf } from './name-of.ts'
import { customerQuery } from './queries.ts'

/** What is known of a customer, and the orders. */
export function CustomerPage({ customerId, user }: { customerId: string; user: OwnUser }) {
  const { text } = useTexts()
  const customer = useQuery(customerQuery(customerId))
  const back = { href: lastTableUrl('/customers'), text: text('console.customers') }
  if (customer.error !== null && customer.data === undefined) {
    return (
      <Failure
        error={customer.error}
        onRetry={() => void customer.refetch()}
        missing={text('console.customerMissing')}
        back={back}
      />
    )
  }
  if (customer.data === undefined) return <Loading />
  noteOpened('/customers', customerId)
  const { hasAccount, guest } = customer.data
  return (
    <>
      <Crumbs back={back} />
      <Page
        title={nameOf(customer.data)}
        actions={
          <div className="actions">
            {mayOrder(user) && !hasAccount && !guest ? <NewOrder customerId={customerId} /> : null}
            <CustomerActions customer={customer.data} user={user} />
          </div>
        }
      >
        <div className="columns">
          <div className="column">
            <OrdersOf customerId={customerId} />
          </div>
          <div className="column">
            <FactsOf customer={customer.data} user={user} />
            {mayUse(user, 'users:read') ? <StorageSection accountId={customerId} /> : null}
          </div>
        </div>
      </Page>
    </>
  )
}

function NewOrder({ customerId }: { customerId: string }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const href = `/orders/new?customer=${customerId}`
  useShortcuts([{ keys: 'n', title: 'console.newOrder', run: () => navigate(href) }])
  return (
    <Link href={href} className="pl-button">
      {text('console.newOrder')}
    </Link>
  )
}

function FactsOf({ customer, user }: { customer: Customer; user: OwnUser }) {
  const texts = useTexts()
  const { text, formats } = texts
  const { email, userId, metadata } = customer
  const mailLink = email === null ? null : <a href={`mailto:${email}`}>{email}</a>
  return (
    <Section title={text('console.customer')}>
      <Facts
        facts={[
          [text('console.kindOfCustomer'), kindText(texts, customer)],
          [text('console.email'), mailLink],
          [text('console.externalId'), customer.externalId],
          [text('console.since'), formats.dateTime(customer.createdAt)],
          [text('console.customerId'), customer.id],
          ...Object.entries(metadata).map(([name, value]) => [name, String(value)] as const),
        ]}
      />
      {userId !== null && mayUse(user, 'users:read') ? (
        <p>
          <Link href={`/people/${userId}`}>{text('console.toAccount')}</Link>
        </p>
      ) : null}
    </Section>
  )
}

/** The table has the others. */
const SHOWN = 50

function OrdersOf({ customerId }: { customerId: string }) {
  const texts = useTexts()
  const { text } = texts
  const orders = useQuery(ordersOfCustomerQuery(customerId, SHOWN))
  const rows = orders.data
  return (
    <Section
      title={text('console.orders')}
      action={<Link href={`/orders?customer=${customerId}`}>{text('console.allOrdersOf')}</Link>}
    >
      {orders.error === null ? null : <p role="alert">{problemText(texts, orders.error)}</p>}
      {rows === undefined && orders.error === null ? <Loading /> : null}
      {rows?.length === 0 ? <p className="note">{text('console.noOrdersYet')}</p> : null}
      {rows === undefined || rows.length === 0 ? null : <OrderTable orders={rows} />}
    </Section>
  )
}
