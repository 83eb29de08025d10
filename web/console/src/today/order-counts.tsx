import type { OwnUser } from '@platen/client'
import { Skeleton, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { mayUse } from '../access/may-use.ts'
import { developersPage } from '../developers/page.ts'
import { ORDER_STATUS, type OrderStatus } from '../orders/status.ts'
import { orderCountsQuery } from './queries.ts'
import { UnreadEvents } from './unread-events.tsx'

/** What the shop has to do comes first. */
const SHOWN: readonly OrderStatus[] = [
  ...(['confirmed', 'in_production', 'partially_shipped', 'on_hold'] as const),
  ...(['awaiting_payment', 'shipped', 'delivered', 'cancelled'] as const),
]

/** How many orders there are, by their status, and how many events are new to users who may open the log of events. */
export function OrderCounts({ user }: { user: OwnUser }) {
  const { text, formats } = useTexts()
  const { data: counts } = useQuery(orderCountsQuery())
  return (
    <ul className="counts" aria-label={text('console.ordersByStatus')}>
      {SHOWN.map((status) => (
        <li key={status}>
          <Link
            href={`/orders?status=${status}`}
            className={`count ${(counts?.[status] ?? 0) > 0 ? ORDER_STATUS[status].tone : ''}`}
          >
            <span className="count-number">
              {counts === undefined ? <Skeleton /> : formats.number(counts[status] ?? 0)}
            </span>
            <span>{text(ORDER_STATUS[status].text)}</span>
          </Link>
        </li>
      ))}
      {mayUse(user, 'events:read') && mayUse(user, developersPage.permission) ? (
        <li>
          <UnreadEvents userId={user.id} />
        </li>
      ) : null}
    </ul>
  )
}
