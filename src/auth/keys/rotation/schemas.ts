import { type Static, Type } from 'typebox'
import { addSeconds } from '../../../platform/clock.ts'
import { Closed, Timestamp } from '../../schemas.ts'
import { KEY_PURPOSES, type KeyPurpose, type KeyState, type SigningKeyRow } from '../store.ts'

const Purpose = Type.Unsafe<KeyPurpose>({
  type: 'string',
  enum: KEY_PURPOSES,
  description: '`access_token`: sessions. `statement`: receipts of finalized designs.',
})

const TimeOrNull = (description: string) => Type.Union([Timestamp, Type.Null()], { description })

export const SigningKeyBody = Type.Object(
  {
    kid: Type.String({ description: 'Name of the key, as in the JWKS.' }),
    purpose: Purpose,
    state: Type.Unsafe<KeyState>({
      type: 'string',
      enum: ['next', 'current', 'retired'],
      description:
        '`current`: signs. `next`: is published, and signs after the next rotation. `retired`: only verifies signatures.',
    }),
    createdAt: Timestamp,
    retiredAt: TimeOrNull('Since when the key signs nothing.'),
    verifiesUntil: TimeOrNull('Until when its signatures are accepted. Null: no end is known.'),
  },
  { ...Closed, title: 'SigningKey' },
)

/** There are two keys in use for each purpose, and retired ones of receipts: a year of monthly rotations adds twelve. */
export const SigningKeyList = Type.Object({ data: Type.Array(SigningKeyBody) }, { ...Closed, title: 'SigningKeyList' })

export const RotateBody = Type.Object(
  {
    purposes: Type.Array(Purpose, { minItems: 1, maxItems: KEY_PURPOSES.length, uniqueItems: true }),
    force: Type.Optional(
      Type.Boolean({ description: 'Rotates even if clients may not have the next key yet. Default: `false`.' }),
    ),
  },
  Closed,
)

/** @param acceptedSeconds how long a retired key of access tokens is accepted */
export function toSigningKeyBody(key: SigningKeyRow, acceptedSeconds: number): Static<typeof SigningKeyBody> {
  const { kid, purpose, state, createdAt, retiredAt } = key
  const until = purpose === 'statement' || retiredAt === null ? null : addSeconds(retiredAt, acceptedSeconds)
  return {
    ...{ kid, purpose, state },
    createdAt: createdAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
    verifiesUntil: until?.toISOString() ?? null,
  }
}
