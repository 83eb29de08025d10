import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from 'wouter'
import { useCurrentInView } from '../parts/page/use-current-in-view.ts'
import { factorResetListQuery } from './queries.ts'

export const PEOPLE_VIEWS = [
  { href: '/people', title: 'consolePeople.everyone' },
  { href: '/people?role=admin', title: 'consolePeople.administrators' },
  { href: '/people?role=operator', title: 'consolePeople.operators' },
  { href: '/people?role=customer', title: 'consolePeople.customers' },
  { href: '/people?disabled=true', title: 'consolePeople.disabledPeople' },
  { href: '/people/invitations', title: 'consolePeople.invitations' },
  { href: '/people/factor-resets', title: 'consolePeople.factorResets' },
] as const

/** The views that are used most. */
export function PeopleViews() {
  const { text, formats } = useTexts()
  const [path] = useLocation()
  const filter = new URLSearchParams(useSearch())
  const waiting = useQuery(factorResetListQuery({ status: 'waiting', limit: 50 })).data?.data.length ?? 0
  const isPresent = (href: string): boolean => {
    const [itsPath, its = ''] = href.split('?')
    const [itsFilter] = new URLSearchParams(its)
    if (itsPath !== path) return false
    if (itsFilter === undefined) return !filter.has('role') && !filter.has('disabled')
    return filter.get(itsFilter[0]) === itsFilter[1]
  }
  const row = useCurrentInView(PEOPLE_VIEWS.find(({ href }) => isPresent(href))?.href ?? path)
  return (
    <nav className="views" aria-label={text('consolePeople.views')} ref={row}>
      <ul>
        {PEOPLE_VIEWS.map(({ href, title }) => (
          <li key={href}>
            <Link href={href} {...(isPresent(href) ? { 'aria-current': 'page' } : {})}>
              {text(title)}
              {href === '/people/factor-resets' && waiting > 0 ? (
                <span className="view-count">{formats.number(waiting)}</span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
