import { type Static, Type } from 'typebox'
import { Closed, Timestamp } from '../schemas.ts'
import type { PendingFactor } from './enable-factor.ts'
import type { Factor } from './factors/store.ts'
import { Code } from './verification/schemas.ts'

/**
 * The schema does not check the form of the id. The code does, so that a malformed id causes the same error as an
 * unknown id.
 */
const FactorId = Type.String({ maxLength: 100 })

const Method = Type.Union([Type.Literal('totp'), Type.Literal('sms')])

const EnableMembers = Type.Object(
  {
    method: Type.Optional(Type.Enum(['totp', 'sms'], { default: 'totp' })),
    phoneNumber: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'For `sms`: the number with its country code, such as `+4915112345678`.',
      }),
    ),
  },
  Closed,
)
/** The body may be empty: then the caller adds an authenticator app. */
export const EnableBody = Type.Unsafe<Static<typeof EnableMembers> | null>({
  ...EnableMembers,
  type: ['object', 'null'],
})

export const PendingFactorBody = Type.Object(
  {
    factorId: Type.String(),
    method: Method,
    status: Type.Literal('pending'),
    expiresAt: Type.Unsafe<string>({ ...Timestamp, description: 'Deadline for confirming the first code.' }),
    secret: Type.Optional(
      Type.String({ description: 'Secret for an authenticator app in Base32. Only this response contains it.' }),
    ),
    otpauthUri: Type.Optional(Type.String({ description: 'The secret as a key URI: `otpauth://totp/...`.' })),
    qrCodeSvg: Type.Optional(Type.String({ description: 'The key URI as a QR code.' })),
  },
  { ...Closed, title: 'PendingFactor' },
)

export const ConfirmBody = Type.Object({ factorId: FactorId, code: Code }, Closed)

const RecoveryCodes = Type.Array(Type.String(), {
  description:
    'Each code replaces a second factor once. Only this response contains them; the user must store them apart from the device.',
})

export const EnabledBody = Type.Object(
  { status: Type.Literal('enabled'), recoveryCodes: Type.Optional(RecoveryCodes) },
  Closed,
)

export const RecoveryCodesBody = Type.Object({ recoveryCodes: RecoveryCodes }, Closed)

export const FactorParams = Type.Object({ factorId: Type.String() }, Closed)

const FactorBody = Type.Object(
  {
    id: Type.String(),
    method: Method,
    status: Type.Union([Type.Literal('pending'), Type.Literal('enabled')]),
    phoneNumber: Type.Optional(Type.String({ description: 'Telephone number, masked except for its end.' })),
    createdAt: Timestamp,
    lastUsedAt: Type.Union([Timestamp, Type.Null()]),
  },
  { ...Closed, title: 'Factor' },
)

export const MfaBody = Type.Object(
  {
    enabled: Type.Boolean({
      description: 'Whether sign-in requires a second factor. Passkeys count as second factors.',
    }),
    factors: Type.Array(FactorBody),
    recoveryCodesLeft: Type.Integer(),
  },
  Closed,
)
export type MfaBody = Static<typeof MfaBody>

export function toPendingFactorBody({ factorId, method, expiresAt, enrolment }: PendingFactor) {
  return { factorId, method, status: 'pending' as const, expiresAt: expiresAt.toISOString(), ...enrolment }
}

export function toMfaBody(factors: readonly Factor[], methods: readonly string[], recoveryCodesLeft: number): MfaBody {
  return { enabled: methods.length > 0, factors: factors.map(toFactorBody), recoveryCodesLeft }
}

function toFactorBody({
  id,
  method,
  confirmedAt,
  phoneNumber,
  createdAt,
  lastUsedAt,
}: Factor): Static<typeof FactorBody> {
  return {
    id,
    method,
    status: confirmedAt === null ? 'pending' : 'enabled',
    ...(phoneNumber === null ? {} : { phoneNumber: mask(phoneNumber) }),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

/**
 * Masks a telephone number. Its owner recognizes the last three digits, from which another reader cannot derive the
 * number.
 */
function mask(phoneNumber: string): string {
  return phoneNumber.slice(-3).padStart(phoneNumber.length, '•')
}
