import { type MessageGroup, TextProvider, useLoadedTexts, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'

export interface MoreTextsProps {
  groups: readonly MessageGroup[]
  /** Is shown until the texts are there. */
  fallback?: ReactNode
  children: ReactNode
}

/** Adds texts that the first page of the application does not need. */
export function MoreTexts({ groups, fallback = <Loading />, children }: MoreTextsProps) {
  const present = useTexts()
  const texts = useLoadedTexts(present.locale, [...present.groups, ...groups])
  return texts === undefined ? fallback : <TextProvider texts={texts}>{children}</TextProvider>
}
