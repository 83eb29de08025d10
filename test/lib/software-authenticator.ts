import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { TestResponse, TestService } from '../harness.ts'

/** A passkey whose private key is accessible, so that tests can sign data that an authenticator would never sign. */
export interface SoftwarePasskey {
  origin: string
  credentialId: Buffer
  privateKey: KeyObject
  /** The user handle, in base64url. */
  userHandle: string
  /**
   * The counter of the last signature. The next signature increments it. A counter of 0 stays 0, as with synchronized
   * passkeys.
   */
  counter: number
}

/** Ways in which the browser or the authenticator can deviate from correct behaviour. */
export interface Knobs {
  /** The `type` of the client data. */
  type?: string
  challenge?: string
  origin?: string
  /** The `crossOrigin` of the client data. */
  crossOrigin?: boolean
  rpId?: string
  isPresent?: boolean
  isVerified?: boolean
  counter?: number
  /** The user handle. With undefined, the correct one; with null, none. */
  userHandle?: string | null
  credentialId?: Buffer
  /** The `type` of the credential. */
  credentialType?: string
  signWith?: KeyObject
  /**
   * The attestation of a registration. `packed` is signed by the new key itself, and `fido-u2f` has a certificate.
   * Defaults to none.
   */
  attestation?: 'packed' | 'fido-u2f' | Attestation
  /** The COSE algorithm that the public key states at registration. */
  algorithm?: number
  transports?: string[]
}

interface Attestation {
  fmt: string
  attStmt: Map<string, unknown>
}

interface Options {
  challenge: string
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
}

const FLAG = { present: 0x01, verified: 0x04, attested: 0x40 }

export const newKey = (): { privateKey: KeyObject; publicKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Responds to registration options as `navigator.credentials.create` does, with ES256 and without attestation. */
export function createPasskey(origin: string, options: Options, knobs: Knobs = {}) {
  const { privateKey, publicKey } = newKey()
  const credentialId = knobs.credentialId ?? randomBytes(32)
  const passkey: SoftwarePasskey = {
    origin,
    credentialId,
    privateKey,
    userHandle: options.user?.id ?? '',
    counter: knobs.counter ?? 1,
  }
  const length = Buffer.alloc(2)
  length.writeUInt16BE(credentialId.length)
  const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey, knobs.algorithm ?? -7)])
  const authData = authenticatorData(options.rp?.id ?? '', passkey.counter, FLAG.attested, attested, knobs)
  const client = clientData('webauthn.create', origin, options, knobs)
  const signed = { authData, client, credentialId, privateKey, publicKey }
  const { fmt, attStmt } = typeof knobs.attestation === 'object' ? knobs.attestation : attest(knobs.attestation, signed)
  const attestation = new Map<string, unknown>([
    ['fmt', fmt],
    ['attStmt', attStmt],
    ['authData', new Uint8Array(authData)],
  ])
  const credential = {
    ...envelope(credentialId, knobs),
    response: {
      clientDataJSON: client.toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: knobs.transports ?? ['internal'],
      publicKeyAlgorithm: -7,
    },
  }
  return { passkey, credential }
}

/** Responds to sign-in options as `navigator.credentials.get` does. */
export function signWithPasskey(passkey: SoftwarePasskey, options: Options, knobs: Knobs = {}) {
  const counter = knobs.counter ?? (passkey.counter === 0 ? 0 : passkey.counter + 1)
  passkey.counter = counter
  const authData = authenticatorData(options.rpId ?? '', counter, 0, Buffer.alloc(0), knobs)
  const client = clientData('webauthn.get', passkey.origin, options, knobs)
  const signed = createSign('sha256').update(authData).update(createHash('sha256').update(client).digest())
  const userHandle = knobs.userHandle === undefined ? passkey.userHandle : knobs.userHandle
  return {
    ...envelope(knobs.credentialId ?? passkey.credentialId, knobs),
    response: {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signed.sign(knobs.signWith ?? passkey.privateKey).toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    },
  }
}

function envelope(credentialId: Buffer, knobs: Knobs) {
  const id = credentialId.toString('base64url')
  return {
    id,
    rawId: id,
    type: knobs.credentialType ?? 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  }
}

function clientData(type: string, origin: string, options: Options, knobs: Knobs): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: knobs.type ?? type,
      challenge: knobs.challenge ?? options.challenge,
      origin: knobs.origin ?? origin,
      crossOrigin: knobs.crossOrigin ?? false,
    }),
  )
}

function authenticatorData(rpId: string, counter: number, flags: number, rest: Buffer, knobs: Knobs): Buffer {
  const head = Buffer.alloc(5)
  const present = knobs.isPresent === false ? 0 : FLAG.present
  const verified = knobs.isVerified === false ? 0 : FLAG.verified
  head.writeUInt8(flags | present | verified)
  head.writeUInt32BE(counter, 1)
  const rpIdHash = createHash('sha256')
    .update(knobs.rpId ?? rpId)
    .digest()
  return Buffer.concat([rpIdHash, head, rest])
}

/** Encodes a point on P-256 as a COSE key (RFC 9053, 7.1.1). */
function coseKey(publicKey: KeyObject, algorithm: number): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, algorithm],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  )
}

interface Signed {
  authData: Buffer
  client: Buffer
  credentialId: Buffer
  privateKey: KeyObject
  publicKey: KeyObject
}

function attest(fmt: 'packed' | 'fido-u2f' | undefined, signed: Signed): Attestation {
  if (fmt === undefined) return { fmt: 'none', attStmt: new Map() }
  const { authData, client, credentialId, privateKey, publicKey } = signed
  const clientHash = createHash('sha256').update(client).digest()
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const sign = (...parts: Buffer[]) =>
    new Uint8Array(createSign('sha256').update(Buffer.concat(parts)).sign(privateKey))
  const attStmt =
    fmt === 'packed'
      ? ([
          ['alg', -7],
          ['sig', sign(authData, clientHash)],
        ] as const)
      : ([
          ['sig', sign(Buffer.alloc(1), authData.subarray(0, 32), clientHash, credentialId, spki.subarray(-65))],
          ['x5c', [new Uint8Array(certificate(spki))]],
        ] as const)
  return { fmt, attStmt: new Map<string, unknown>(attStmt) }
}

/** Makes an X.509 certificate with an invalid signature, which suffices for the attestation. */
function certificate(spki: Buffer): Buffer {
  const der = (tag: number, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts)
    const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
    return Buffer.concat([Buffer.from([tag, ...length]), content])
  }
  const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
  const time = (text: string) => der(0x17, Buffer.from(text))
  const content = der(
    0x30,
    der(0xa0, Buffer.from('020102', 'hex')),
    Buffer.from('020101', 'hex'),
    ecdsaWithSha256,
    der(0x30),
    der(0x30, time('260101000000Z'), time('360101000000Z')),
    der(0x30),
    spki,
  )
  return der(0x30, content, ecdsaWithSha256, der(0x03, Buffer.alloc(9)))
}

function cbor(value: Map<string | number, unknown>): Buffer {
  return Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]))
}

/** Adds a passkey to an account. The session of `token` must have a recent sign-in. */
export async function addPasskey(
  service: TestService,
  token: string,
  knobs: Knobs = {},
): Promise<{ passkey: SoftwarePasskey; answer: TestResponse }> {
  const offer = await service.request('POST', '/api/auth/webauthn/register', { token })
  if (offer.status !== 200) throw new Error(`webauthn/register: ${offer.text}`)
  const { passkey, credential } = createPasskey(service.config.origin, offer.body.publicKey, knobs)
  const body = { challengeId: offer.body.challengeId, credential }
  return { passkey, answer: await service.request('POST', '/api/auth/webauthn/register/verify', { token, body }) }
}

export async function signInWithPasskey(
  service: TestService,
  passkey: SoftwarePasskey,
  knobs: Knobs = {},
): Promise<TestResponse> {
  const offer = await service.request('POST', '/api/auth/webauthn/login')
  if (offer.status !== 200) throw new Error(`webauthn/login: ${offer.text}`)
  const credential = signWithPasskey(passkey, offer.body.publicKey, knobs)
  const body = { challengeId: offer.body.challengeId, credential }
  return service.request('POST', '/api/auth/webauthn/login/verify', { body })
}
