import type { Assertion, CreationOptions, Descriptor, NewCredential, RequestOptions } from './schemas.ts'
import type { Passkey } from './store.ts'

/** Lifetime of a challenge. */
export const CHALLENGE_SECONDS = 300

/** EdDSA, ES256 and RS256 (COSE): between them every authenticator knows one. */
const ALGORITHMS = [-8, -7, -257]

const DER_SEQUENCE = 0x30

/** Three hundred modules, which are loaded when the first answer is to be checked. */
const library = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
})
type Library = Awaited<ReturnType<typeof library>>

/** The relying party of passkeys: the host of the service's origin. */
function rpIdOf(origin: string): string {
  return new URL(origin).hostname
}

export function creationOptions(
  origin: string,
  challenge: Buffer,
  user: { handle: Buffer; email: string; name: string | null },
  present: readonly Passkey[],
): CreationOptions {
  return {
    challenge: challenge.toString('base64url'),
    rp: { id: rpIdOf(origin), name: 'Platen' },
    user: { id: user.handle.toString('base64url'), name: user.email, displayName: user.name ?? user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    excludeCredentials: present.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  }
}

/** @param allowed which passkeys can answer; none named: any that the authenticator keeps for this site */
export function requestOptions(origin: string, challenge: Buffer, allowed: readonly Passkey[]): RequestOptions {
  return {
    challenge: challenge.toString('base64url'),
    rpId: rpIdOf(origin),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
    allowCredentials: allowed.map(toDescriptor),
  }
}

function toDescriptor({ credentialId, transports }: Passkey): Descriptor {
  return { type: 'public-key', id: credentialId.toString('base64url'), transports }
}

export interface VerifiedCredential {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  deviceType: string
  isBackedUp: boolean
}

/** Checks the answer to `creationOptions` (Web Authentication Level 3, 7.1). Undefined: something is wrong with it. */
export async function verifyCreation(
  origin: string,
  challenge: Buffer,
  { id, rawId, type, response }: NewCredential,
): Promise<VerifiedCredential | undefined> {
  if (type !== 'public-key') return undefined
  const { clientDataJSON, attestationObject } = response
  const webauthn = await library()
  const verified = await unlessMalformed(async () => {
    if (isFramed(webauthn, clientDataJSON) || hasCertificates(webauthn, attestationObject)) return undefined
    return webauthn.verifyRegistrationResponse({
      response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      requireUserPresence: true,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
  })
  if (verified?.verified !== true) return undefined
  const { credential, credentialDeviceType, credentialBackedUp } = verified.registrationInfo
  if (credential.id !== id) return undefined
  return {
    credentialId: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    deviceType: credentialDeviceType,
    isBackedUp: credentialBackedUp,
  }
}

/**
 * Checks the answer to `requestOptions` (Web Authentication Level 3, 7.2), but for the counter, which is judged where it
 * is stored. Undefined: something is wrong with it.
 *
 * @param isNameless the request names no account: then the authenticator must
 */
export async function verifyAssertion(
  origin: string,
  challenge: Buffer,
  passkey: Passkey & { handle: Buffer },
  { id, rawId, type, response }: Assertion,
  isNameless: boolean,
): Promise<{ counter: number; isBackedUp: boolean } | undefined> {
  if (type !== 'public-key' || !isHandleOf(passkey, response.userHandle ?? '', isNameless)) return undefined
  const { clientDataJSON, authenticatorData, signature } = response
  const webauthn = await library()
  const verified = await unlessMalformed(async () => {
    if (isFramed(webauthn, clientDataJSON) || !isStrict(webauthn, signature, passkey.publicKey)) return undefined
    return webauthn.verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      requireUserVerification: true,
      // The library would judge the counter before the signature, and refuse alike what a stranger made up and what a
      // copied passkey signed.
      credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    })
  })
  if (verified?.verified !== true) return undefined
  const { newCounter, credentialBackedUp } = verified.authenticationInfo
  return { counter: newCounter, isBackedUp: credentialBackedUp }
}

function isHandleOf({ handle }: { handle: Buffer }, given: string, isNameless: boolean): boolean {
  return given === '' ? !isNameless : given === handle.toString('base64url')
}

/** The library throws whatever is wrong with what was sent, and whatever trips over it. */
async function unlessMalformed<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}

/** No page of another site has a reason to ask for passkeys of this one from within a frame. */
function isFramed({ decodeClientDataJSON }: Library, clientDataJSON: string): boolean {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON)
  return crossOrigin === true || topOrigin !== undefined
}

/**
 * A signature of an elliptic curve comes as a DER sequence of two numbers (Web Authentication Level 3, 6.5.5). The library
 * overlooks a wrong tag or length of that sequence, and bytes after it.
 */
function isStrict({ cose, decodeCredentialPublicKey }: Library, signature: string, publicKey: Buffer): boolean {
  if (!cose.isCOSEPublicKeyEC2(decodeCredentialPublicKey(new Uint8Array(publicKey)))) return true
  const [tag, length, ...content] = Buffer.from(signature, 'base64url')
  return tag === DER_SEQUENCE && length === content.length
}

/**
 * Where no attestation was asked for, a client sends none, or one that the new key signed itself. To check a statement
 * with certificates, the library would parse them and fetch their revocation lists, all for nothing.
 */
function hasCertificates({ decodeAttestationObject }: Library, attestationObject: string): boolean {
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const format = attestation.get('fmt')
  return format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined)
}
