import type { ProblemDetail } from '@platen/client'
import { useTexts } from '@platen/ui'
import { faultText } from '../../fault-text.ts'
import type { DraftState } from './use-product-draft.ts'

/** What a part of the form gets. */
export interface DraftProps {
  state: DraftState
}

/** Returns what is wrong at a place, as a JSON Pointer, in the words of the page. */
export function useErrorAt({ faultAt }: Pick<DraftState, 'faultAt'>): (pointer: string) => string | undefined {
  const texts = useTexts()
  return (pointer) => {
    const fault: ProblemDetail | undefined = faultAt(pointer)
    return fault === undefined ? undefined : faultText(texts, fault)
  }
}
