import { TextProvider, useLoadedTexts, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'

/** Adds the texts of ordering, which the first page does not need. */
export function OrderTexts({ children }: { children: ReactNode }) {
  const { locale } = useTexts()
  const texts = useLoadedTexts(locale, 'shop', 'order')
  return texts === undefined ? <Loading /> : <TextProvider texts={texts}>{children}</TextProvider>
}
