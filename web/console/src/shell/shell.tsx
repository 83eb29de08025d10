import { CrashGuard, MoreTexts, notices, OfflineBanner, part, useScrollToTop } from '@platen/app/frame'
import { useSession } from '@platen/app/session'
import { StepUp } from '@platen/app/sign-in'
import type { OwnUser } from '@platen/client'
import { Notices, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { mayUse } from '../access/may-use.ts'
import { useLiveEvents } from '../live/use-live-events.ts'
import { Navigation } from './navigation.tsx'

const EndedDialog = part(() => import('../access/ended-dialog.tsx'), 'EndedDialog', null)

/** The frame of all pages: the navigation beside the page. */
export function Shell({ user, children }: { user: OwnUser; children: ReactNode }) {
  const { text } = useTexts()
  const [path] = useLocation()
  const { ended } = useSession()
  useScrollToTop(path)
  useLiveEvents(mayUse(user, 'events:read') && mayUse(user, 'orders:read'))
  return (
    <>
      <a className="skip pl-button primary" href="#main">
        {text('console.skip')}
      </a>
      <div className="console">
        <Navigation user={user} />
        <div className="console-main">
          <OfflineBanner />
          <main id="main" tabIndex={-1}>
            <CrashGuard path={path}>
              <StepUp>{children}</StepUp>
            </CrashGuard>
          </main>
        </div>
      </div>
      <Notices queue={notices} label={text('console.notices')} closeLabel={text('common.close')} />
      {ended === undefined ? null : (
        <MoreTexts groups={['session']} fallback={null}>
          <EndedDialog />
        </MoreTexts>
      )}
    </>
  )
}
