import type { CryptoKey } from 'jose'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { deriveKey } from '../../platform/sealed-box.ts'
import { notify, type RevocationCache } from '../revocation/revocation-cache.ts'
import { createSigningKey, type LoadedKey, loadSigningKey, requireSecret, SIGNATURE_ALGORITHM } from './key-material.ts'
import { createSecret, readSecret } from './secret-file.ts'
import type { KeyDerivation } from './secrets.ts'
import { KEY_PURPOSES, type KeyPurpose, listSigningKeys, lockKeyCreation, type SigningKeyRow } from './store.ts'

/** Topic of the notification that keys have changed. */
export const KEYS_CHANGED = 'signing_keys'

/** For how long clients and proxies may keep a copy of the JWKS. */
export const JWKS_MAX_AGE_SECONDS = 300

/** A token may be signed with a key by a node that has not heard of its retirement, and clocks differ. */
const RETIREMENT_MARGIN_SECONDS = 60

/** Maximum age of cached keys on a node that receives no notifications. */
const STALE_AFTER_MS = 500

/** An unknown name makes a node read the keys again, but forged names shall not make it do so all the time. */
const SEEK_EVERY_MS = 1_000

export interface SigningKeys extends KeyDerivation {
  /** The key to sign with. Call `refresh` first, outside of any transaction. */
  current(purpose: KeyPurpose): { kid: string; privateKey: CryptoKey }
  /** The public key that checks a signature, if there is one of this name for this purpose that is still accepted. */
  find(purpose: KeyPurpose, kid: string): CryptoKey | undefined
  /** Like `find`, but reads unknown keys from the database, within limits. */
  seek(purpose: KeyPurpose, kid: string): Promise<CryptoKey | undefined>
  /** The public keys as a JSON Web Key Set (RFC 7517); no private part is in it. */
  jwks(): PublicKeySet
  /** False when the keys may have changed without this node knowing. */
  isFresh(): boolean
  /** Reads the keys again if they may have changed; with a connection of its own, so not within a transaction. */
  refresh(): Promise<void>
}

/** A JSON Web Key Set (RFC 7517) of Ed25519 keys. */
export interface PublicKeySet {
  keys: { kty: string; crv: string; x: string; kid: string; use: string; alg: string }[]
}

export interface SigningKeysDeps {
  db: Db
  clock: Clock
  /** How long an access token lives. */
  accessSeconds: number
  /** Tells when keys change. Without it they stay as they were read. */
  revocations: Pick<RevocationCache, 'onNotice' | 'isTrusted'> | undefined
}

/**
 * Loads the service's signing keys; at the first start it makes them. They are in the database, so that all nodes sign
 * with the same keys, encrypted under the secret in the data folder, so that a copy of the database signs nothing.
 * Rotations on other nodes take effect here within a second.
 *
 * @throws with instructions when the keys were made with another secret than the one in this data folder
 */
export async function openSigningKeys(deps: SigningKeysDeps, dataDir: string): Promise<SigningKeys> {
  const { db, clock, revocations, accessSeconds } = deps
  const acceptedSeconds = accessSeconds + RETIREMENT_MARGIN_SECONDS
  const secret = await ensureKeys(deps, dataDir)
  let keys = new Map<string, LoadedKey>()
  const reading = createReading(async () => {
    const rows = await listSigningKeys(db, addSeconds(clock.now(), -acceptedSeconds))
    const loaded = await Promise.all(rows.map((row) => loadSigningKey(row, secret, dataDir)))
    keys = new Map(loaded.map((key) => [key.row.kid, key]))
  })
  revocations?.onNotice(KEYS_CHANGED, reading.again)
  await reading.again()

  const isFresh = (): boolean =>
    revocations === undefined || (!reading.isDue() && (revocations.isTrusted() || reading.ageMs() < STALE_AFTER_MS))
  const isAccepted = ({ purpose, retiredAt }: SigningKeyRow): boolean =>
    purpose === 'statement' || retiredAt === null || addSeconds(retiredAt, acceptedSeconds) > clock.now()
  const find = (purpose: KeyPurpose, kid: string): CryptoKey | undefined => {
    const key = keys.get(kid)
    return key?.row.purpose === purpose && isAccepted(key.row) ? key.publicKey : undefined
  }
  let soughtAt = Number.NEGATIVE_INFINITY
  return {
    current: (purpose) => {
      for (const { row, privateKey } of keys.values()) {
        if (row.purpose === purpose && row.state === 'current' && privateKey) return { kid: row.kid, privateKey }
      }
      throw new Error(`there is no current signing key for ${purpose}`)
    },
    find,
    seek: async (purpose, kid) => {
      const known = find(purpose, kid)
      if (known !== undefined || revocations === undefined || !isName(kid)) return known
      if (performance.now() - soughtAt >= SEEK_EVERY_MS) {
        soughtAt = performance.now()
        await reading.again()
      } else {
        await reading.running()
      }
      return find(purpose, kid)
    },
    jwks: () => ({
      keys: [...keys.values()]
        .filter(({ row }) => isAccepted(row))
        .map(({ row }) => ({ ...row.publicJwk, kid: row.kid, use: 'sig', alg: SIGNATURE_ALGORITHM })),
    }),
    isFresh,
    refresh: async () => {
      if (!isFresh()) await (reading.running() ?? reading.again())
    },
    derive: (purpose) => deriveKey(secret, purpose),
  }
}

/** Returns the secret, after making it and the keys that are missing. */
async function ensureKeys({ db, clock }: SigningKeysDeps, dataDir: string): Promise<Buffer> {
  return db.transaction().execute(async (trx) => {
    await lockKeyCreation(trx)
    const existing = await listSigningKeys(trx, clock.now())
    const isFirst = existing.length === 0
    const secret = isFirst
      ? ((await readSecret(dataDir)) ?? (await createSecret(dataDir)))
      : await requireSecret(dataDir)
    for (const purpose of KEY_PURPOSES) {
      // `next` is published before it signs anything, so that clients with a cached key set have it when it signs.
      for (const state of ['current', 'next'] as const) {
        if (existing.some((key) => key.purpose === purpose && key.state === state)) continue
        await createSigningKey(trx, secret, { purpose, state }, clock.now())
        if (!isFirst) await notify(trx, KEYS_CHANGED)
      }
    }
    return secret
  })
}

/** An RFC 7638 thumbprint with SHA-256, as all names of ours are. */
function isName(kid: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(kid)
}

/** Reads something again when it has changed; concurrent callers share one reading. */
function createReading(read: () => Promise<void>) {
  let asked = 0
  let done = 0
  let beganAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    const upTo = asked
    const begin = performance.now()
    await read()
    done = upTo
    beganAt = begin
  }
  return {
    /** Reads what is there now: a reading that began before the call does not count. */
    again: async (): Promise<void> => {
      asked += 1
      const mine = asked
      while (done < mine) {
        running ??= run().finally(() => {
          running = undefined
        })
        await running
      }
    },
    running: () => running,
    /** Whether it has changed since the last reading. */
    isDue: () => done < asked,
    ageMs: () => performance.now() - beganAt,
  }
}
