import type { Texts } from '@platen/ui'
import { createProblemText } from '../../frame/failures/problem-text.ts'

const problemText = createProblemText({
  login_blocked: 'session.problemLoginBlocked',
  invalid_credentials: 'session.problemInvalidCredentials',
  email_not_verified: 'session.problemEmailNotVerified',
  invalid_code: 'session.problemInvalidCode',
  invalid_mfa_token: 'session.problemSignInExpired',
  password_rejected: 'session.problemPasswordRejected',
  current_password_wrong: 'session.problemPasswordWrong',
})

/** Says what failed in a step that may ask for a passkey. Browsers do not tell why a passkey was not used. */
export function factorProblem(texts: Pick<Texts, 'text'>, error: unknown): string {
  if (!(error instanceof DOMException)) return problemText(texts, error)
  const isKnown = error.name === 'InvalidStateError'
  return texts.text(isKnown ? 'session.problemPasskeyExists' : 'session.problemPasskeyNotUsed')
}
