import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, importJWK } from 'jose'
import { deriveKey, seal, unseal } from '../../platform/cryptography/sealed-box.ts'
import { SecretError } from '../../platform/cryptography/secret-error.ts'
import type { Trx } from '../../platform/db/index.ts'
import { nameOfSecret, readSecrets, type SecretSource } from './secret-file.ts'
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
  privateKey: KeyObject | undefined
  /** The secret with which the private half is encrypted. */
  secret: Buffer | undefined
}

/**
 * Reads the secrets of the service, newest first; see `readSecrets`.
 *
 * @throws {SecretError} with instructions if there is none; the keys in the database cannot be decrypted without it
 */
export async function requireSecrets(source: SecretSource): Promise<[Buffer, ...Buffer[]]> {
  const [newest, ...others] = await readSecrets(source)
  if (newest !== undefined) return [newest, ...others]
  throw new SecretError(
    `${nameOfSecret(source)} is missing, and the database is encrypted with it. Set PLATEN_SECRET_KEY to the secret of ` +
      `the other nodes, or copy the file of one. If there is none, run "platen restore": ${ONLY_ENCRYPTED}.`,
  )
}

const ONLY_ENCRYPTED = 'a backup has the secret only encrypted'

/** Makes the error for a secret with which a value in the database cannot be decrypted. */
export function wrongSecret(source: SecretSource): SecretError {
  const name = nameOfSecret(source)
  if (source.secretKey === undefined) {
    return new SecretError(
      `${name} is not the secret of this database. Copy the file from a node that uses the database, set PLATEN_SECRET_KEY ` +
        `to its secret, or run "platen restore": ${ONLY_ENCRYPTED}.`,
    )
  }
  const right = 'the secret of the nodes that use the database'
  return new SecretError(
    source.previousSecretKey === undefined
      ? `${name} is not the secret of this database. Set it to ${right}, or unset it to use secret.key of the data folder.`
      : `Neither ${name} nor PLATEN_SECRET_KEY_PREVIOUS is the secret of this database. Set one of them to ${right}.`,
  )
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
  const privateKeyEncrypted = encryptPrivateKey(secret, d, { purpose, kid })
  await insertSigningKey(trx, { kid, purpose, state, publicJwk, privateKeyEncrypted }, at)
  return kid
}

function encryptPrivateKey(secret: Buffer, d: Buffer, { purpose, kid }: { purpose: KeyPurpose; kid: string }): Buffer {
  return seal(encryptionKey(secret), d, contextOf(purpose, kid))
}

/** Encrypts the private half of a key with another secret. Returns null for a retired key. */
export function encryptAgain({ row, secret }: LoadedKey, to: Buffer): Buffer | null {
  if (secret === undefined || row.privateKeyEncrypted === null) return null
  const d = unseal(encryptionKey(secret), row.privateKeyEncrypted, contextOf(row.purpose, row.kid))
  return encryptPrivateKey(to, d, row)
}

function toPublicJwk({ kty, crv, x }: { kty?: string; crv?: string; x?: string }): PublicJwk {
  if (kty === undefined || crv === undefined || x === undefined) throw new Error('an Ed25519 key has kty, crv and x')
  return { kty, crv, x }
}

/**
 * Decrypts a key.
 *
 * @throws {SecretError} with instructions if the key was encrypted with another secret than these
 */
export async function loadSigningKey(
  row: SigningKeyRow,
  secrets: readonly Buffer[],
  source: SecretSource,
): Promise<LoadedKey> {
  const opened = decrypt(row, secrets, source)
  return {
    row,
    publicKey: await importKey(row.publicJwk),
    privateKey: opened && toPrivateKey(row.publicJwk, opened.d),
    secret: opened?.secret,
  }
}

function decrypt(
  row: SigningKeyRow,
  secrets: readonly Buffer[],
  source: SecretSource,
): { d: Buffer; secret: Buffer } | undefined {
  if (row.privateKeyEncrypted === null) return undefined
  for (const secret of secrets) {
    try {
      return { d: unseal(encryptionKey(secret), row.privateKeyEncrypted, contextOf(row.purpose, row.kid)), secret }
    } catch {
      // Another secret may be the right one.
    }
  }
  throw wrongSecret(source)
}

function toPrivateKey(jwk: PublicJwk, d: Buffer): KeyObject {
  return createPrivateKey({ key: { ...jwk, d: d.toString('base64url') }, format: 'jwk' })
}

async function importKey(jwk: PublicJwk): Promise<CryptoKey> {
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
