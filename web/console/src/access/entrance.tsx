import { LanguageChoice, OfflineBanner, Page, SchemeChoice, shopName } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import type { ReactNode } from 'react'

/** The frame of the pages before the sign-in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  const { text } = useTexts()
  return (
    <div className="entrance">
      <OfflineBanner />
      <main id="main" className="entrance-main">
        <p className="entrance-name">
          {shopName} <span>{text('console.console')}</span>
        </p>
        <Page title={title}>{children}</Page>
      </main>
      <footer className="entrance-foot">
        <LanguageChoice />
        <SchemeChoice />
      </footer>
    </div>
  )
}
