import { generateKeyPairSync } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, importJWK } from 'jose'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { deriveKey, seal, unseal } from './sealed-box.ts'
import { createSecret, readSecret, secretPath } from './secret-file.ts'
import {
  insertSigningKey,
  type KeyPurpose,
  type KeyState,
  listSigningKeys,
  lockKeyCreation,
  type SigningKeyRow,
} from './store.ts'

/** Signatures of the service are Ed25519 (RFC 8037); nothing else is ever accepted as its own. */
export const SIGNATURE_ALGORITHM = 'EdDSA'

/** A token signed just before its key was retired is valid this long at most (the access token's lifetime, generously). */
const RETIRED_KEPT_SECONDS = 24 * 3600

export interface SigningKeys {
  /** The key to sign with. */
  current(purpose: KeyPurpose): { kid: string; privateKey: CryptoKey }
  /** The public key that checks a signature, if the service ever had a key of this name for this purpose. */
  find(purpose: KeyPurpose, kid: string): CryptoKey | undefined
  /** The public keys as a JSON Web Key Set (RFC 7517); no private part is in it. */
  jwks(): PublicKeySet
  /** A secret for another purpose, the same on every node. */
  derive(purpose: string): Buffer
}

/** A JSON Web Key Set (RFC 7517) of Ed25519 keys. */
export interface PublicKeySet {
  keys: { kty: string; crv: string; x: string; kid: string; use: string; alg: string }[]
}

interface LoadedKey {
  row: SigningKeyRow
  publicKey: CryptoKey
  privateKey: CryptoKey
}

/**
 * Loads the service's signing keys; at the first start it makes them. They are in the database, so that all nodes sign
 * with the same keys, encrypted under the secret in the data folder, so that a copy of the database signs nothing.
 *
 * @throws with instructions when the keys were made with another secret than the one in this data folder
 */
export async function openSigningKeys({ db, clock }: { db: Db; clock: Clock }, dataDir: string): Promise<SigningKeys> {
  const { secret, rows } = await db.transaction().execute(async (trx) => {
    await lockKeyCreation(trx)
    const since = addSeconds(clock.now(), -RETIRED_KEPT_SECONDS)
    const existing = await listSigningKeys(trx, since)
    if (existing.length > 0) return { secret: await requireSecret(dataDir), rows: existing }
    const made = (await readSecret(dataDir)) ?? (await createSecret(dataDir))
    await createKeys(trx, encryptionKey(made), clock.now())
    return { secret: made, rows: await listSigningKeys(trx, since) }
  })
  const keys = await Promise.all(rows.map((row) => load(row, encryptionKey(secret), dataDir)))
  return toSigningKeys(keys, secret)
}

async function requireSecret(dataDir: string): Promise<Buffer> {
  const secret = await readSecret(dataDir)
  if (secret === undefined) throw new Error(otherSecret(dataDir, 'is missing'))
  return secret
}

function otherSecret(dataDir: string, what: string): string {
  return (
    `${secretPath(dataDir)} ${what}, but the signing keys in the database are encrypted with it. ` +
    'Copy the file from the backup, or from the data folder of the service that first started on this database.'
  )
}

function encryptionKey(secret: Buffer): Buffer {
  return deriveKey(secret, 'platen signing keys 1')
}

async function createKeys(trx: Trx, encryption: Buffer, at: Date): Promise<void> {
  // `next` is published before it signs anything, so that a rotation surprises nobody who keeps a copy of the set.
  const wanted: [KeyPurpose, KeyState][] = [
    ['access_token', 'current'],
    ['access_token', 'next'],
    ['statement', 'current'],
  ]
  for (const [purpose, state] of wanted) {
    const { kid, publicJwk, privateDer } = await generateKey()
    const privateKeyEncrypted = seal(encryption, privateDer, contextOf(purpose, kid))
    await insertSigningKey(trx, { kid, purpose, state, publicJwk, privateKeyEncrypted }, at)
  }
}

async function generateKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { kty, crv, x } = publicKey.export({ format: 'jwk' })
  if (kty === undefined || crv === undefined || x === undefined) throw new Error('an Ed25519 key has kty, crv and x')
  const publicJwk = { kty, crv, x }
  const { d } = privateKey.export({ format: 'jwk' })
  return { kid: await calculateJwkThumbprint(publicJwk), publicJwk, privateDer: Buffer.from(d ?? '', 'base64url') }
}

function contextOf(purpose: KeyPurpose, kid: string): string {
  return `${purpose} ${kid}`
}

async function load(row: SigningKeyRow, encryption: Buffer, dataDir: string): Promise<LoadedKey> {
  let d: Buffer
  try {
    d = unseal(encryption, row.privateKeyEncrypted, contextOf(row.purpose, row.kid))
  } catch {
    throw new Error(otherSecret(dataDir, 'is not the right one'))
  }
  const [publicKey, privateKey] = await Promise.all([
    importJWK(row.publicJwk, SIGNATURE_ALGORITHM),
    importJWK({ ...row.publicJwk, d: d.toString('base64url') }, SIGNATURE_ALGORITHM),
  ])
  if (publicKey instanceof Uint8Array || privateKey instanceof Uint8Array) throw new Error('not an asymmetric key')
  return { row, publicKey, privateKey }
}

function toSigningKeys(keys: LoadedKey[], secret: Buffer): SigningKeys {
  const byName = new Map(keys.map((key) => [contextOf(key.row.purpose, key.row.kid), key]))
  const published = {
    keys: keys.map(({ row }) => ({ ...row.publicJwk, kid: row.kid, use: 'sig', alg: SIGNATURE_ALGORITHM })),
  }
  return {
    current: (purpose) => {
      const key = keys.find(({ row }) => row.purpose === purpose && row.state === 'current')
      if (key === undefined) throw new Error(`there is no current signing key for ${purpose}`)
      return { kid: key.row.kid, privateKey: key.privateKey }
    },
    find: (purpose, kid) => byName.get(contextOf(purpose, kid))?.publicKey,
    jwks: () => published,
    derive: (purpose) => deriveKey(secret, purpose),
  }
}
