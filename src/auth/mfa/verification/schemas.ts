import { Type } from 'typebox'
import { Assertion, AssertionOffer, ChallengeId } from '../../passkeys/webauthn/schemas.ts'
import { Closed } from '../../schemas.ts'

export const Code = Type.String({ minLength: 1, maxLength: 64, description: 'The code. Spaces are ignored.' })

/** A code that a client sends as a second factor. It is required if the account has a second factor. */
export const CodeInput = Type.Object(
  { method: Type.Enum(['totp', 'sms', 'recovery_code']), code: Code },
  { ...Closed, title: 'CodeProof' },
)
export const AssertionInput = Type.Object(
  { method: Type.Literal('webauthn'), challengeId: ChallengeId, credential: Assertion },
  { ...Closed, title: 'AssertionProof' },
)

export const ChallengeMethodName = Type.Enum(['sms', 'webauthn'])

export const ChallengeAnswer = Type.Union([
  Type.Object(
    { status: Type.Literal('code_sent') },
    { ...Closed, title: 'CodeSent', description: 'The service sends the code.' },
  ),
  AssertionOffer,
])
