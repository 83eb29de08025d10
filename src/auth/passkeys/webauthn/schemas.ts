import { type Static, Type } from 'typebox'
import { Closed, LABEL_PATTERN, Timestamp } from '../../schemas.ts'
import type { Passkey } from './store.ts'

/** Schema of bytes in base64url without padding, as browsers write them (Web Authentication Level 3, section 5.1.8). */
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })

/** An id has at most 1023 bytes, which are 1364 characters in base64url. */
const CredentialId = bytes(1364)

/** Further members are allowed, because browsers add members when the standard changes. */
const credentialMembers = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.String({ maxLength: 32 }),
}

/** The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.create` (RegistrationResponseJSON). */
const NewCredential = Type.Object(
  {
    ...credentialMembers,
    response: Type.Object({
      clientDataJSON: bytes(8192),
      attestationObject: bytes(16384),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
    }),
  },
  { title: 'PasskeyRegistration' },
)
export type NewCredential = Static<typeof NewCredential>

/** The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.get` (AuthenticationResponseJSON). */
export const Assertion = Type.Object(
  {
    ...credentialMembers,
    response: Type.Object({
      clientDataJSON: bytes(8192),
      authenticatorData: bytes(8192),
      signature: bytes(8192),
      userHandle: Type.Optional(Type.Union([Type.String({ maxLength: 128 }), Type.Null()])),
    }),
  },
  { title: 'PasskeyAssertion' },
)
export type Assertion = Static<typeof Assertion>

export const ChallengeId = Type.String({ maxLength: 100, description: '`challengeId` of the options.' })

const PasskeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: LABEL_PATTERN,
  description: 'Label that the user chooses.',
})

export const RegistrationBody = Type.Object(
  { challengeId: ChallengeId, credential: NewCredential, name: Type.Optional(PasskeyName) },
  Closed,
)

export const PasskeyChange = Type.Object({ name: PasskeyName }, Closed)

export const AssertionBody = Type.Object({ challengeId: ChallengeId, credential: Assertion }, Closed)

export const PasskeyParams = Type.Object({ credentialId: Type.String() }, Closed)

const Descriptor = Type.Object(
  { type: Type.Literal('public-key'), id: Type.String(), transports: Type.Array(Type.String()) },
  { ...Closed, title: 'PasskeyDescriptor' },
)
export type Descriptor = Static<typeof Descriptor>

/** The dictionary PublicKeyCredentialRequestOptionsJSON of Web Authentication Level 3. */
const RequestOptions = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer({ description: 'Timeout in milliseconds.' }),
    userVerification: Type.Literal('required'),
    allowCredentials: Type.Array(Descriptor, {
      description: 'The passkeys that may respond. If the list is empty, any passkey of this site may respond.',
    }),
  },
  Closed,
)
export type RequestOptions = Static<typeof RequestOptions>

/** The dictionary PublicKeyCredentialCreationOptionsJSON of Web Authentication Level 3. */
const CreationOptions = Type.Object(
  {
    challenge: Type.String(),
    rp: Type.Object({ id: Type.String(), name: Type.String() }, Closed),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }, Closed),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() }, Closed)),
    timeout: Type.Integer({ description: 'Timeout in milliseconds.' }),
    excludeCredentials: Type.Array(Descriptor),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.Literal('required'),
        requireResidentKey: Type.Literal(true),
        userVerification: Type.Literal('required'),
      },
      Closed,
    ),
    attestation: Type.Literal('none'),
  },
  Closed,
)
export type CreationOptions = Static<typeof CreationOptions>

export const AssertionOffer = Type.Object(
  {
    challengeId: Type.String(),
    publicKey: Type.Unsafe<RequestOptions>({
      ...RequestOptions,
      description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`, then `navigator.credentials.get`.',
    }),
  },
  { ...Closed, title: 'PasskeyRequest' },
)
export type AssertionOffer = Static<typeof AssertionOffer>

export const RegistrationOffer = Type.Object(
  {
    challengeId: Type.String(),
    publicKey: Type.Unsafe<CreationOptions>({
      ...CreationOptions,
      description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON`, then `navigator.credentials.create`.',
    }),
  },
  { ...Closed, title: 'PasskeyCreation' },
)
export type RegistrationOffer = Static<typeof RegistrationOffer>

const passkeyMembers = {
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Type.Union([Timestamp, Type.Null()]),
}

export const PasskeyBody = Type.Object(passkeyMembers, { ...Closed, title: 'Passkey' })
export type PasskeyBody = Static<typeof PasskeyBody>

export const NewPasskeyBody = Type.Object(
  {
    ...passkeyMembers,
    recoveryCodes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Recovery codes, if the passkey is the first second factor of the account. Only this response contains them. Each can be used once.',
      }),
    ),
  },
  Closed,
)

export function toPasskeyBody({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyBody {
  return { id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null }
}
