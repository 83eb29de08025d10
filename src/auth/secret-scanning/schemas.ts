import { type Static, Type } from 'typebox'
import { Closed } from '../schemas.ts'

// GitHub defines the names of the members. Unknown members are ignored, because GitHub may add some.
const Alert = Type.Object({
  token: Type.String({ description: 'The key that was found.' }),
  type: Type.String({ description: 'Token type of the API keys at GitHub.' }),
  url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  source: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Kind of place in which the key was found.' }),
  ),
})
export type Alert = Static<typeof Alert>

export const AlertsBody = Type.Array(Alert)

const Verdict = Type.Object(
  {
    token_hash: Type.String({ description: 'SHA-256 of the text, in hexadecimal.' }),
    token_type: Type.String(),
    label: Type.Union([Type.Literal('true_positive'), Type.Literal('false_positive')]),
  },
  Closed,
)
export type Verdict = Static<typeof Verdict>

export const VerdictsBody = Type.Array(Verdict)
