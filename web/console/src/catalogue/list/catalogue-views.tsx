import { useTexts } from '@platen/ui'
import { Link, useLocation, useSearch } from 'wouter'

const VIEWS = [
  { href: '/catalogue', title: 'consoleCatalogue.activeProducts' },
  { href: '/catalogue?status=archived', title: 'consoleCatalogue.archivedProducts' },
] as const

/** The tables of the catalogue. */
export function CatalogueViews() {
  const { text } = useTexts()
  const [path] = useLocation()
  const isArchived = new URLSearchParams(useSearch()).get('status') === 'archived'
  const present = path === '/catalogue' && isArchived ? '/catalogue?status=archived' : path
  return (
    <nav className="views" aria-label={text('consoleCatalogue.views')}>
      <ul>
        {VIEWS.map(({ href, title }) => (
          <li key={href}>
            <Link href={href} {...(href === present ? { 'aria-current': 'page' } : {})}>
              {text(title)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
