import { Loading, MoreTexts, part } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import { StepUp } from '@platen/app/sign-in'
import type { OwnUser } from '@platen/client'
import { EmptyState, type MessageKey, useTexts } from '@platen/ui'
import type { ComponentType } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { NotFoundPage } from '../shell/failures/failure.tsx'
import { ProfilePage } from './profile/profile-page.tsx'

interface PageOfAccount {
  path: string
  title: MessageKey
  component: ComponentType<{ user: OwnUser }>
}

const PAGES: readonly PageOfAccount[] = [
  { path: '/account', title: 'account.profile', component: ProfilePage },
  {
    path: '/account/security',
    title: 'account.security',
    component: part(() => import('./security/security-page.tsx'), 'SecurityPage'),
  },
  {
    path: '/account/devices',
    title: 'account.devices',
    component: part(() => import('./devices/devices-page.tsx'), 'DevicesPage'),
  },
  {
    path: '/account/activity',
    title: 'account.activity',
    component: part(() => import('./devices/activity-page.tsx'), 'ActivityPage'),
  },
  {
    path: '/account/api-keys',
    title: 'account.apiKeys',
    component: part(() => import('./api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
  },
  {
    path: '/account/data',
    title: 'account.data',
    component: part(() => import('./data/data-page.tsx'), 'DataPage'),
  },
]

/** The account of a customer, with a page for each of its subjects. */
export function AccountPage() {
  const account = useAccount()
  const [path] = useLocation()
  if (account.kind === 'unknown') return <Loading />
  if (account.kind === 'none') return <Redirect to={`/sign-in?next=${path}`} replace />
  if (account.kind === 'guest') return <GuestAccount />
  const { user } = account
  const page = PAGES.find((one) => one.path === path)
  if (page === undefined) return <NotFoundPage />
  return (
    <MoreTexts groups={['session', 'account']}>
      <div className="page account">
        <Navigation path={path} />
        <StepUp>
          <page.component key={user.id} user={user} />
        </StepUp>
      </div>
    </MoreTexts>
  )
}

function Navigation({ path }: { path: string }) {
  const { text } = useTexts()
  return (
    <nav className="account-nav" aria-label={text('account.navigation')}>
      <ul>
        {PAGES.map((page) => (
          <li key={page.path}>
            <Link href={page.path} {...(page.path === path ? { 'aria-current': 'page' } : {})}>
              {text(page.title)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function GuestAccount() {
  const { text } = useTexts()
  return (
    <EmptyState
      level={1}
      icon="user"
      title={text('shop.noAccount')}
      action={
        <div className="row">
          <Link href="/register?next=/account" className="pl-button primary">
            {text('shop.createAccount')}
          </Link>
          <Link href="/sign-in?next=/account" className="pl-button">
            {text('common.signIn')}
          </Link>
        </div>
      }
    >
      {text('shop.keepHint')}
    </EmptyState>
  )
}
