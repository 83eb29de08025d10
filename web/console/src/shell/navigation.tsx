import { shopName } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import { Button, Icon, type MessageKey, useTexts } from '@platen/ui'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Keys } from '../keys/keys.tsx'
import type { ConsolePage, Group } from './console-page.ts'
import { pagesOf } from './pages.tsx'
import { UserMenu } from './user-menu.tsx'

const GROUPS: readonly (readonly [Group, MessageKey])[] = [
  ['work', 'console.groupWork'],
  ['shop', 'console.groupShop'],
  ['administration', 'console.groupAdministration'],
]

/** The ways to all pages that the user may use. On phones, a button opens them. */
export function Navigation({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const [path] = useLocation()
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each path is another page
  useEffect(() => setOpen(false), [path])
  const pages = pagesOf(user)
  return (
    <header className="console-side" data-open={isOpen || undefined}>
      <div className="console-bar">
        <Button
          look="quiet"
          isIcon
          className="console-toggle"
          aria-label={text(isOpen ? 'console.closeNavigation' : 'console.openNavigation')}
          aria-expanded={isOpen}
          onPress={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} size={22} />
        </Button>
        <Link href="/" className="console-name">
          <span className="console-initial" data-initial={[...shopName][0]} />
          <span className="console-shop">{shopName}</span>
          <span className="visually-hidden">{text('console.console')}</span>
        </Link>
      </div>
      <Keys user={user} />
      <nav aria-label={text('console.navigation')}>
        {GROUPS.map(([group, title]) => (
          <PageGroup key={group} title={text(title)} pages={pages.filter((page) => page.group === group)} path={path} />
        ))}
      </nav>
      <UserMenu user={user} />
    </header>
  )
}

interface PageGroupProps {
  title: string
  pages: readonly ConsolePage[]
  path: string
}

function PageGroup({ title, pages, path }: PageGroupProps) {
  const { text } = useTexts()
  if (pages.length === 0) return null
  const isHere = (page: ConsolePage): boolean => path === page.path || path.startsWith(`${page.path}/`)
  return (
    <div className="console-group">
      <p className="console-group-title">{title}</p>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <Link href={page.path} className="console-link" {...(isHere(page) ? { 'aria-current': 'page' } : {})}>
              <Icon name={page.icon} size={20} />
              <span>{text(page.title)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
