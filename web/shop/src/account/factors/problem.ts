import type { Texts } from '@platen/ui'
import { problemText } from '../../shell/failures/problem-text.ts'

/** Says what failed in a step that may ask for a passkey. Browsers do not tell why a passkey was not used. */
export function factorProblem(texts: Pick<Texts, 'text'>, error: unknown): string {
  if (!(error instanceof DOMException)) return problemText(texts, error)
  return texts.text(error.name === 'InvalidStateError' ? 'shop.problemPasskeyExists' : 'shop.problemPasskeyNotUsed')
}
