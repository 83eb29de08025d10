import { useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'

const VIEWS = [
  { href: '/developers/webhooks', title: 'consoleDevelopers.webhooks' },
  { href: '/developers/events', title: 'consoleDevelopers.eventLog' },
  { href: '/developers/api-keys', title: 'consoleDevelopers.apiKeys' },
] as const

/** The ways to the parts of the page. */
export function DevelopersViews() {
  const { text } = useTexts()
  const [path] = useLocation()
  return (
    <nav className="views" aria-label={text('consoleDevelopers.views')}>
      <ul>
        {VIEWS.map(({ href, title }) => (
          <li key={href}>
            <Link href={href} {...(href === path ? { 'aria-current': 'page' } : {})}>
              {text(title)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
