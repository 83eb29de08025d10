import { Type } from 'typebox'
import { AssertionProof, ChallengeMethodName, CodeProof } from '../mfa/verification/schemas.ts'
import { Closed, Password } from '../schemas.ts'

const MfaToken = Type.String({ minLength: 1, maxLength: 200, description: '`mfaToken` of the answer to the sign-in.' })

export const SecondFactorProof = Type.Union([
  Type.Object({ mfaToken: MfaToken, ...CodeProof.properties }, Closed),
  Type.Object({ mfaToken: MfaToken, ...AssertionProof.properties }, Closed),
])

export const SecondFactorChallenge = Type.Object({ mfaToken: MfaToken, method: ChallengeMethodName }, Closed)

export const StepUpBody = Type.Union([Type.Object({ password: Password }, Closed), CodeProof, AssertionProof])

export const StepUpChallenge = Type.Object({ method: ChallengeMethodName }, Closed)
