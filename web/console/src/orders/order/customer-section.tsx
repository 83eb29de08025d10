import { OWN, platen } from '@platen/app/session'
import type { Order, OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { Pill } from '../../parts/pill.tsx'
import { Section } from '../../parts/section.tsx'
import { relatedOrdersQuery } from '../queries.ts'
import { ORDER_STATUS } from '../status.ts'

const customerQuery = (customerId: string) =>
  queryOptions({
    queryKey: [OWN, 'customer', customerId],
    queryFn: ({ signal }) => platen.customers.get(customerId, { signal }),
  })

/** Who has ordered, and what else. */
export function CustomerSection({ order, user }: { order: Order; user: OwnUser }) {
  const { text } = useTexts()
  const customer = useQuery({ ...customerQuery(order.customerId), enabled: mayUse(user, 'customers:read') }).data
  const email = customer?.email ?? order.shippingAddress.email
  return (
    <Section title={text('console.customer')}>
      <p className="customer-name">{customer?.name ?? order.shippingAddress.name}</p>
      {email === undefined ? null : (
        <p>
          <a href={`mailto:${email}`}>{email}</a>
        </p>
      )}
      <p className="note">
        {customer === undefined ? null : text(customer.hasAccount ? 'console.hasAccount' : 'console.isGuest')}
        {customer?.externalId == null ? null : ` · ${customer.externalId}`}
      </p>
      <OtherOrders order={order} email={email} />
    </Section>
  )
}

/** More of them are in the table. */
const SHOWN = 5

function OtherOrders({ order, email }: { order: Order; email: string | undefined }) {
  const { text, formats } = useTexts()
  const related = useQuery(relatedOrdersQuery(order.customerId, email))
  const others = related.data?.filter(({ id }) => id !== order.id) ?? []
  if (related.data === undefined) return null
  if (others.length === 0) return <p className="note">{text('console.noOtherOrders')}</p>
  return (
    <>
      <h3 className="section-sub">{text('console.otherOrders')}</h3>
      <ul className="other-orders">
        {others.slice(0, SHOWN).map(({ id, number, status, createdAt, amounts }) => (
          <li key={id}>
            <Link href={`/orders/${id}`}>{number}</Link>
            <span className="note">
              {formats.date(createdAt)} · {formats.money(amounts.total)}
            </span>
            <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>
          </li>
        ))}
      </ul>
      {others.length <= SHOWN || email === undefined ? null : (
        <Link href={`/orders?q=${encodeURIComponent(email)}`}>{text('console.showAll')}</Link>
      )}
    </>
  )
}
