import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useCurrentInView } from '../../parts/page/use-current-in-view.ts'
import { orderCountsQuery } from '../../today/queries.ts'
import { ORDER_STATUS, ORDER_STATUSES } from '../status.ts'
import type { ListState } from './use-list-state.ts'

/** The views that are used most: one for each status, with the number of its orders. */
export function StatusLinks({ state }: { state: ListState }) {
  const { text, formats } = useTexts()
  const { data: counts } = useQuery(orderCountsQuery())
  const present = state.get('status')
  const row = useCurrentInView(present)
  const links = [
    { status: '', title: text('console.allOrders') },
    ...ORDER_STATUSES.map((status) => ({ status, title: text(ORDER_STATUS[status].text) })),
  ]
  return (
    <nav className="views" aria-label={text('console.viewsOfOrders')} ref={row}>
      <ul>
        {links.map(({ status, title }) => (
          <li key={status}>
            <Link href={state.urlWith({ status })} {...(status === present ? { 'aria-current': 'page' } : {})}>
              {title}
              {counts?.[status] === undefined ? null : (
                <span className="view-count">{formats.number(counts[status])}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
