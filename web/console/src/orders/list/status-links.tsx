import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { ORDER_STATUS, ORDER_STATUSES } from '../status.ts'
import type { ListState } from './use-list-state.ts'

/** The views that are used most: one for each status. */
export function StatusLinks({ state }: { state: ListState }) {
  const { text } = useTexts()
  const present = state.filter.get('status') ?? ''
  const links = [
    { status: '', title: text('console.allOrders') },
    ...ORDER_STATUSES.map((status) => ({ status, title: text(ORDER_STATUS[status].text) })),
  ]
  return (
    <nav className="views" aria-label={text('console.viewsOfOrders')}>
      <ul>
        {links.map(({ status, title }) => (
          <li key={status}>
            <Link href={state.urlWith({ status })} {...(status === present ? { 'aria-current': 'page' } : {})}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
