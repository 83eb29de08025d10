import type { ReactNode } from 'react'

/** One of the values that a list offers. */
export interface Choice {
  id: string
  text: string
  /** Shown instead of the text, such as a sample of a font. */
  content?: ReactNode
  isDisabled?: boolean
}
