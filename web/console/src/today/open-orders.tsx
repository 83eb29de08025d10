import { Skeleton, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ORDER_STATUS, type OrderStatus } from '../orders/status.ts'
import { openOrdersQuery } from './queries.ts'

const SHOWN: readonly OrderStatus[] = ['confirmed', 'in_production', 'partially_shipped', 'on_hold', 'awaiting_payment']

/** How many orders wait, by their status. */
export function OpenOrders() {
  const { text, formats } = useTexts()
  const { data: counts } = useQuery(openOrdersQuery())
  return (
    <ul className="counts" aria-label={text('console.openOrders')}>
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
    </ul>
  )
}
