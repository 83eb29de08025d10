import { useLanguage, useLanguageOf } from '@platen/app/frame'
import { queryClient, useAccount } from '@platen/app/session'
import { TextProvider, useLoadedTexts } from '@platen/ui'
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Pages, usePage } from './pages.tsx'

/** The shop. It shows nothing until the texts of the language and the program of the first page are there. */
export function App() {
  const language = useLanguage()
  const texts = useLoadedTexts(language, ['common', 'shop'])
  const hasPage = useFirstPage()
  useLanguageOf(useAccount())
  useEffect(() => {
    if (texts === undefined) return
    document.documentElement.lang = texts.locale
    document.documentElement.dir = texts.direction
  }, [texts])
  if (texts === undefined || !hasPage) return null
  return (
    <TextProvider texts={texts}>
      <QueryClientProvider client={queryClient}>
        <Pages />
      </QueryClientProvider>
    </TextProvider>
  )
}

/** Loads the program of the first page beside the texts. A failure is reported where the page is shown. */
function useFirstPage(): boolean {
  const page = usePage()
  const [hasPage, setHasPage] = useState(page?.preload === undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: later pages show themselves that they are loading
  useEffect(() => {
    const note = (): void => setHasPage(true)
    page?.preload?.().then(note, note)
  }, [])
  return hasPage
}
