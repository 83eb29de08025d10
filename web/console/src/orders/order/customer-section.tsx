import type { Order, OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { kindText } from '../../customers/kind-text.ts'
import { customerQuery } from '../../customers/queries.ts'
import { Section } from '../../parts/page/section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { ordersOfCustomerQuery } from '../queries.ts'
import { ORDER_STATUS } from '../status.ts'

/** Who has ordered, and what else. */
export function CustomerSection({ order, user }: { order: Order; user: OwnUser }) {
  const texts = useTexts()
  const { text } = texts
  const customer = useQuery({ ...customerQuery(order.customerId), enabled: mayUse(user, 'customers:read') }).data
  const email = customer?.email ?? order.shippingAddress.email
  return (
    <Section title={text('console.customer')}>
      <p className="customer-name">
        {customer === undefined ? (
          order.shippingAddress.name
        ) : (
          <Link href={`/customers/${customer.id}`}>{customer.name ?? order.shippingAddress.name}</Link>
        )}
      </p>
      {email === undefined ? null : (
        <p>
          <a href={`mailto:${email}`}>{email}</a>
        </p>
      )}
      <p className="note">
        {customer === undefined ? null : kindText(texts, customer)}
        {customer?.externalId == null ? null : ` · ${customer.externalId}`}
      </p>
      <OtherOrders order={order} hasCustomerPage={customer !== undefined} />
    </Section>
  )
}

/** More of them are on the page of the customer. */
const SHOWN = 5

/** @param props.hasCustomerPage false for the accounts of staff, and if the operator may not see customers */
function OtherOrders({ order, hasCustomerPage }: { order: Order; hasCustomerPage: boolean }) {
  const { text, formats } = useTexts()
  const related = useQuery(ordersOfCustomerQuery(order.customerId, SHOWN + 2))
  const others = related.data?.filter(({ id }) => id !== order.id) ?? []
  if (related.data === undefined) return null
  if (others.length === 0) return <p className="note">{text('console.noOtherOrders')}</p>
  return (
    <>
      <h3 className="section-sub">{text('console.otherOrders')}</h3>
      <ul className="other-orders">
        {others.slice(0, SHOWN).map(({ id, number, status, createdAt, amounts }) => (
          <li key={id}>
            <Link href={`/orders/${id}`} className="row-link">
              {number}
            </Link>
            <span className="note">
              {formats.date(createdAt)} · {formats.money(amounts.total)}
            </span>
            <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>
          </li>
        ))}
      </ul>
      {others.length <= SHOWN || !hasCustomerPage ? null : (
        <Link href={`/customers/${order.customerId}`} className="to-all">
          {text('console.showAll')}
        </Link>
      )}
    </>
  )
}
