import { useLanguage, useLanguageOf } from '@platen/app/frame'
import { queryClient, useAccount } from '@platen/app/session'
import { TextProvider, useLoadedTexts } from '@platen/ui'
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Router } from 'wouter'
import { Gate } from './access/gate.tsx'
import { askBeforeLeaving } from './parts/form/unsaved-guard.tsx'
import { Pages } from './shell/pages.tsx'
import { Shell } from './shell/shell.tsx'

/** The URL path of the console. All paths of its pages are below it. */
const BASE = '/console'

/** The console. It shows nothing until the texts of the language are there. */
export function App() {
  const texts = useLoadedTexts(useLanguage(), ['common', 'console'])
  useLanguageOf(useAccount())
  useEffect(() => {
    if (texts === undefined) return
    document.documentElement.lang = texts.locale
    document.documentElement.dir = texts.direction
  }, [texts])
  if (texts === undefined) return null
  return (
    <TextProvider texts={texts}>
      <QueryClientProvider client={queryClient}>
        <Router base={BASE} aroundNav={askBeforeLeaving}>
          <Gate>
            {(user) => (
              <Shell user={user}>
                <Pages user={user} />
              </Shell>
            )}
          </Gate>
        </Router>
      </QueryClientProvider>
    </TextProvider>
  )
}
