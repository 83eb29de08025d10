import { type MessageKey, useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'
import { useCurrentInView } from './use-current-in-view.ts'

export interface PageViewsProps {
  label: string
  views: readonly { href: string; title: MessageKey }[]
  /** The view that is shown, if its path alone does not tell. */
  present?: string
}

/** Links between the pages of one area. */
export function PageViews({ label, views, present }: PageViewsProps) {
  const { text } = useTexts()
  const [path] = useLocation()
  const shown = present ?? path
  const row = useCurrentInView(shown)
  return (
    <nav className="views" aria-label={label} ref={row}>
      <ul>
        {views.map(({ href, title }) => (
          <li key={href}>
            <Link href={href} {...(href === shown ? { 'aria-current': 'page' } : {})}>
              {text(title)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
