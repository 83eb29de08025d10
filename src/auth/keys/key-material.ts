import { generateKeyPairSync } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, importJWK } from 'jose'
import type { Trx } from '../../platform/db/index.ts'
import { deriveKey, seal, unseal } from '../../platform/sealed-box.ts'
import { nameOfSecret, readSecret, type SecretSource } from './secret-file.ts'
import { insertSigningKey, type KeyPurpose, type KeyState, type PublicJwk, type SigningKeyRow } from './store.ts'

/**
 * Algorithm of the service's own signatures: Ed25519 (RFC 8037). Signatures of the service with another algorithm are
 * rejected.
 */
export const SIGNATURE_ALGORITHM = 'EdDSA'

export interface LoadedKey {
  row: SigningKeyRow
  publicKey: CryptoKey
  /** Undefined for a retired key, because its private half was deleted. */
  privateKey: CryptoKey | undefined
}

/**
 * Reads the secret of the service.
 *
 * @throws with instructions if there is none; the keys in the database cannot be decrypted without it
 */
export async function requireSecret(source: SecretSource): Promise<Buffer> {
  const secret = await readSecret(source)
  if (secret === undefined) throw new Error(otherSecret(source, 'is missing'))
  return secret
}

function otherSecret(source: SecretSource, what: string): string {
  const mend =
    source.secretKey === undefined
      ? 'Copy the file from the backup, or from the data folder of the service that first started on this database.'
      : 'Set it to the secret with which the service first started on this database.'
  return `${nameOfSecret(source)} ${what}, but the signing keys in the database are encrypted with it. ${mend}`
}

/**
 * Creates a key and stores it with an encrypted private half.
 *
 * @returns the name of the key
 */
export async function createSigningKey(
  trx: Trx,
  secret: Buffer,
  { purpose, state }: { purpose: KeyPurpose; state: KeyState },
  at: Date,
): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const publicJwk = toPublicJwk(publicKey.export({ format: 'jwk' }))
  const kid = await calculateJwkThumbprint(publicJwk)
  const d = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
  const privateKeyEncrypted = seal(encryptionKey(secret), d, contextOf(purpose, kid))
  await insertSigningKey(trx, { kid, purpose, state, publicJwk, privateKeyEncrypted }, at)
  return kid
}

function toPublicJwk({ kty, crv, x }: { kty?: string; crv?: string; x?: string }): PublicJwk {
  if (kty === undefined || crv === undefined || x === undefined) throw new Error('an Ed25519 key has kty, crv and x')
  return { kty, crv, x }
}

/**
 * Decrypts a key.
 *
 * @throws with instructions if the key was encrypted with another secret than this one
 */
export async function loadSigningKey(row: SigningKeyRow, secret: Buffer, source: SecretSource): Promise<LoadedKey> {
  const d = decrypt(row, secret, source)
  return {
    row,
    publicKey: await importKey(row.publicJwk),
    privateKey: d && (await importKey({ ...row.publicJwk, d: d.toString('base64url') })),
  }
}

function decrypt(row: SigningKeyRow, secret: Buffer, source: SecretSource): Buffer | undefined {
  if (row.privateKeyEncrypted === null) return undefined
  try {
    return unseal(encryptionKey(secret), row.privateKeyEncrypted, contextOf(row.purpose, row.kid))
  } catch {
    throw new Error(otherSecret(source, 'is not the right one'))
  }
}

async function importKey(jwk: PublicJwk & { d?: string }): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNATURE_ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('not an asymmetric key')
  return key
}

function encryptionKey(secret: Buffer): Buffer {
  return deriveKey(secret, 'platen signing keys 1')
}

function contextOf(purpose: KeyPurpose, kid: string): string {
  return `${purpose} ${kid}`
}
