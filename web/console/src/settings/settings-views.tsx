import { useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'

const VIEWS = [
  { href: '/settings/shipping', title: 'consoleSettings.shippingMethods' },
  { href: '/settings/taxes', title: 'consoleSettings.taxes' },
] as const

export function SettingsViews() {
  const { text } = useTexts()
  const [path] = useLocation()
  return (
    <nav className="views" aria-label={text('console.settings')}>
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
