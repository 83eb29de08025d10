import { Type } from 'typebox'
import { Assertion, AssertionOffer, ChallengeId } from '../../passkeys/webauthn/schemas.ts'
import { Closed } from '../../schemas.ts'

export const Code = Type.String({ minLength: 1, maxLength: 64, description: 'The code. Spaces are ignored.' })

/** A second factor, required if the account has one. */
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
  Type.Object({ status: Type.Literal('code_sent') }, { ...Closed, description: 'The code was queued for sending.' }),
  AssertionOffer,
])
