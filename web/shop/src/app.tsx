import { TextProvider, useLoadedTexts } from '@platen/ui'
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Pages } from './pages.tsx'
import { queryClient } from './session/queries.ts'
import { useAccount } from './session/use-session.ts'
import { useLanguage, useLanguageOf } from './shell/language.ts'

/** The shop. It shows nothing until the texts of the language are there. */
export function App() {
  const language = useLanguage()
  const texts = useLoadedTexts(language, 'shop')
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
        <Pages />
      </QueryClientProvider>
    </TextProvider>
  )
}
