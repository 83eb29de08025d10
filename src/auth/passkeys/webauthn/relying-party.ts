import type { Config } from '../../../config/index.ts'
import type { Assertion, CreationOptions, Descriptor, NewCredential, RequestOptions } from './schemas.ts'
import type { Passkey } from './store.ts'

export const CHALLENGE_SECONDS = 300

/** EdDSA, ES256 and RS256 by their COSE numbers. Every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]

const DER_SEQUENCE = 0x30

/** Loads the library at its first use, because it has three hundred modules. */
const library = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
})
type Library = Awaited<ReturnType<typeof library>>

export interface PasskeyConfig {
  config: Pick<Config, 'passkeys' | 'shopName'>
}

export function creationOptions(
  { passkeys: { rpId }, shopName }: PasskeyConfig['config'],
  challenge: Buffer,
  user: { handle: Buffer; email: string; name: string | null },
  present: readonly Passkey[],
): CreationOptions {
  return {
    challenge: challenge.toString('base64url'),
    rp: { id: rpId, name: shopName },
    user: { id: user.handle.toString('base64url'), name: user.email, displayName: user.name ?? user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    excludeCredentials: present.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  }
}

/** @param allowed the passkeys that can respond; empty: any passkey of this site in the authenticator */
export function requestOptions(
  { passkeys: { rpId } }: PasskeyConfig['config'],
  challenge: Buffer,
  allowed: readonly Passkey[],
): RequestOptions {
  return {
    challenge: challenge.toString('base64url'),
    rpId,
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

/**
 * Verifies the response to `creationOptions` (Web Authentication Level 3, section 7.1). Returns undefined if it is
 * invalid.
 */
export async function verifyCreation(
  { passkeys }: PasskeyConfig['config'],
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
      expectedOrigin: [...passkeys.origins],
      expectedRPID: passkeys.rpId,
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
 * Verifies the response to `requestOptions` (Web Authentication Level 3, section 7.2), except for the counter, which
 * the store compares. Returns undefined if the response is invalid.
 *
 * @param isNameless whether the request named no account, so that the authenticator must return the user handle
 */
export async function verifyAssertion(
  { passkeys }: PasskeyConfig['config'],
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
      expectedOrigin: [...passkeys.origins],
      expectedRPID: passkeys.rpId,
      requireUserVerification: true,
      // The counter is given as 0, because the library compares it before it verifies the signature. With the stored
      // counter, a forged assertion and an assertion of a copied passkey would cause the same error.
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

/**
 * Returns undefined if the library throws. It throws for every invalid input, sometimes with unspecific errors such as
 * `TypeError`.
 */
async function unlessMalformed<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}

/**
 * Returns whether the response was created in a frame on a page of another site. No such page has a reason to use the
 * passkeys of this site.
 */
function isFramed({ decodeClientDataJSON }: Library, clientDataJSON: string): boolean {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON)
  return crossOrigin === true || topOrigin !== undefined
}

/**
 * Returns whether the signature of an elliptic curve key is a complete DER sequence (Web Authentication Level 3,
 * section 6.5.5). The library also accepts a wrong tag, a wrong length or further bytes after the sequence.
 */
function isStrict({ cose, decodeCredentialPublicKey }: Library, signature: string, publicKey: Buffer): boolean {
  if (!cose.isCOSEPublicKeyEC2(decodeCredentialPublicKey(new Uint8Array(publicKey)))) return true
  const [tag, length, ...content] = Buffer.from(signature, 'base64url')
  return tag === DER_SEQUENCE && length === content.length
}

/**
 * Returns whether an attestation contains certificates. The service requests no attestation, so valid clients send none
 * or a self-signed one. The library would parse the certificates and fetch their revocation lists, for no benefit.
 */
function hasCertificates({ decodeAttestationObject }: Library, attestationObject: string): boolean {
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const format = attestation.get('fmt')
  return format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined)
}
