import { CrashGuard, notices, OfflineBanner, part, useScrollToTop } from '@platen/app/frame'
import { useSession } from '@platen/app/session'
import { Notices, useText } from '@platen/ui'
import { type ReactNode, useLayoutEffect } from 'react'
import { useLocation } from 'wouter'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'

const EndedDialog = part(() => import('../account/ended-dialog.tsx'), 'EndedDialog', null)

/** The frame of all pages. The page of the editor has a header of its own. */
export function Shell({ isBare, children }: { isBare: boolean; children: ReactNode }) {
  const text = useText()
  const [path] = useLocation()
  const { ended } = useSession()
  useScrollToTop(path)
  return (
    <>
      <a className="skip pl-button primary" href="#main">
        {text('shop.skip')}
      </a>
      {isBare ? null : <Header />}
      <OfflineBanner />
      <main id="main" tabIndex={-1} className={isBare ? 'bare' : ''}>
        <CrashGuard path={path}>
          {children}
          <Ready />
        </CrashGuard>
      </main>
      {isBare ? null : <Footer />}
      <Notices queue={notices} label={text('shop.notices')} closeLabel={text('common.close')} />
      {ended === undefined ? null : <EndedDialog ended={ended} />}
    </>
  )
}

/** Replaces what the service has rendered for readers without script, once the first page is complete. */
function Ready() {
  useLayoutEffect(() => document.getElementById('readable')?.remove(), [])
  return null
}
