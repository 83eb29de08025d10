import { useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'

const VIEWS = [
  { href: '/system', title: 'consoleSystem.state' },
  { href: '/system/audit', title: 'consoleSystem.auditLog' },
] as const

export function SystemViews() {
  const { text } = useTexts()
  const [path] = useLocation()
  return (
    <nav className="views" aria-label={text('console.system')}>
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
