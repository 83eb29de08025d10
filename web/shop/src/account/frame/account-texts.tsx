import { TextProvider, useLoadedTexts, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'
import { Loading } from '../../shell/loading.tsx'

/** Adds the texts of the account to those of the shop. Most visitors need none of them. */
export function AccountTexts({ children }: { children: ReactNode }) {
  const texts = useLoadedTexts(useTexts().locale, 'shop', 'account')
  return texts === undefined ? <Loading /> : <TextProvider texts={texts}>{children}</TextProvider>
}
