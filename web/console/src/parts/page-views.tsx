import { type MessageKey, useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'

export interface PageViewsProps {
  label: string
  views: readonly { href: string; title: MessageKey }[]
}

/** Links between the pages of one area. */
export function PageViews({ label, views }: PageViewsProps) {
  const { text } = useTexts()
  const [path] = useLocation()
  return (
    <nav className="views" aria-label={label}>
      <ul>
        {views.map(({ href, title }) => (
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
