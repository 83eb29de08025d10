import { Type } from 'typebox'
import { AssertionInput, ChallengeMethodName, CodeInput } from '../mfa/verification/schemas.ts'
import { Closed, Password } from '../schemas.ts'

const MfaToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: '`mfaToken` from the response to the sign-in.',
})

export const SecondFactorInput = Type.Union([
  Type.Object({ mfaToken: MfaToken, ...CodeInput.properties }, { ...Closed, title: 'SecondFactorCode' }),
  Type.Object({ mfaToken: MfaToken, ...AssertionInput.properties }, { ...Closed, title: 'SecondFactorAssertion' }),
])

export const SecondFactorChallenge = Type.Object({ mfaToken: MfaToken, method: ChallengeMethodName }, Closed)

export const StepUpBody = Type.Union([
  Type.Object({ password: Password }, { ...Closed, title: 'PasswordProof' }),
  CodeInput,
  AssertionInput,
])

export const StepUpChallenge = Type.Object({ method: ChallengeMethodName }, Closed)
