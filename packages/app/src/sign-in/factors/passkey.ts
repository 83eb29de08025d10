import type {
  AssertionProof,
  PasskeyCreation,
  PasskeyDescriptor,
  PasskeyRegistration,
  PasskeyRequest,
} from '@platen/client'

/** Tells whether the browser has passkeys. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function'

/** Tells whether the browser offers passkeys in the list of a field. */
export async function hasPasskeyAutofill(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true
}

/**
 * Creates a passkey. The conversions are ours, because browsers have them only since 2025.
 *
 * @throws a `DOMException`: `NotAllowedError` if the customer cancels, `InvalidStateError` if the device has a passkey
 * of the account
 */
export async function createPasskey({ publicKey }: PasskeyCreation): Promise<PasskeyRegistration> {
  const { challenge, user, excludeCredentials, ...options } = publicKey
  const credential = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(challenge),
      user: { ...user, id: bytesOf(user.id) },
      excludeCredentials: excludeCredentials.map(toDescriptor),
    },
  })
  if (!(credential instanceof PublicKeyCredential)) throw notAllowed()
  const { response } = credential
  if (!(response instanceof AuthenticatorAttestationResponse)) throw notAllowed()
  return {
    ...partsOf(credential),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports(),
    },
  }
}

/**
 * Has the customer confirm with a passkey.
 *
 * @param options with `mediation: 'conditional'`, the browser waits until the customer chooses a passkey at a field
 * @throws a `DOMException`, such as `NotAllowedError` if the customer cancels
 */
export async function askForPasskey(
  { challengeId, publicKey }: PasskeyRequest,
  options: { mediation?: 'conditional'; signal?: AbortSignal } = {},
): Promise<AssertionProof> {
  const { challenge, allowCredentials, ...request } = publicKey
  const credential = await navigator.credentials.get({
    ...options,
    publicKey: { ...request, challenge: bytesOf(challenge), allowCredentials: allowCredentials.map(toDescriptor) },
  })
  if (!(credential instanceof PublicKeyCredential)) throw notAllowed()
  const { response } = credential
  if (!(response instanceof AuthenticatorAssertionResponse)) throw notAllowed()
  return {
    method: 'webauthn',
    challengeId,
    credential: {
      ...partsOf(credential),
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        authenticatorData: textOf(response.authenticatorData),
        signature: textOf(response.signature),
        userHandle: response.userHandle === null ? null : textOf(response.userHandle),
      },
    },
  }
}

const notAllowed = (): DOMException => new DOMException('The browser returned no passkey', 'NotAllowedError')

const partsOf = ({ id, rawId, type }: PublicKeyCredential) => ({ id, rawId: textOf(rawId), type })

function toDescriptor({ type, id, transports }: PasskeyDescriptor): PublicKeyCredentialDescriptor {
  return { type, id: bytesOf(id), transports: transports as AuthenticatorTransport[] }
}

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

/** Encodes as base64url without padding. */
function textOf(bytes: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
