import type { KeyObject } from 'node:crypto'
import type { CryptoKey } from 'jose'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Db } from '../../platform/db/index.ts'
import { notify, type RevocationCache } from '../revocation/revocation-cache.ts'
import {
  createSigningKey,
  type LoadedKey,
  loadSigningKey,
  requireSecrets,
  SIGNATURE_ALGORITHM,
} from './key-material.ts'
import { createKeyring, ownSecretOf } from './keyring.ts'
import { createSecret, readSecrets, type SecretSource } from './secret-file.ts'
import type { KeyDerivation } from './secrets.ts'
import { KEY_PURPOSES, type KeyPurpose, listSigningKeys, lockKeyCreation, type SigningKeyRow } from './store.ts'

/** Topic of the notification that keys have changed. */
export const KEYS_CHANGED = 'signing_keys'

/** Time for which clients and proxies may cache the JWKS. */
export const JWKS_MAX_AGE_SECONDS = 300

/**
 * Added to the time for which retired keys are accepted, because a node that was not notified yet may still sign with a
 * retired key, and because clocks differ.
 */
const RETIREMENT_MARGIN_SECONDS = 60

/** Maximum age of the cached keys on a node that currently receives no notifications. */
const STALE_AFTER_MS = 500

/**
 * Minimum time between two reads for unknown key names. Without it, a client that invents key names could cause a query
 * for each request.
 */
const REFRESH_UNKNOWN_EVERY_MS = 1_000

/** Returns how long signatures of access tokens are accepted after the retirement of their key. */
export const acceptedSecondsOf = ({ accessSeconds }: { accessSeconds: number }): number =>
  accessSeconds + RETIREMENT_MARGIN_SECONDS

export interface SigningKeys extends KeyDerivation {
  /** Returns the key to sign with. Call `refresh` before, outside of any transaction. */
  current(purpose: KeyPurpose): { kid: string; privateKey: KeyObject }
  /** Finds the public key with this name and purpose, if it is still accepted. */
  find(purpose: KeyPurpose, kid: string): CryptoKey | undefined
  /**
   * Finds a key as `find` does, but reads the keys from the database again if the name is unknown. The rate of these
   * reads is limited.
   */
  seek(purpose: KeyPurpose, kid: string): Promise<CryptoKey | undefined>
  /** Returns the public keys as a JSON Web Key Set (RFC 7517). */
  jwks(): PublicKeySet
  /** Returns false if the keys may have changed and this node may not know it. */
  isFresh(): boolean
  /**
   * Reads the keys again if they may have changed. It uses a connection of its own, so never call it within a
   * transaction.
   */
  refresh(): Promise<void>
}

/** A JSON Web Key Set (RFC 7517) of Ed25519 keys. */
export interface PublicKeySet {
  keys: { kty: string; crv: string; x: string; kid: string; use: string; alg: string }[]
}

export interface SigningKeysDeps {
  db: Db
  clock: Clock
  accessSeconds: number
  /** Reports that keys have changed. If undefined, the keys are read only once. */
  revocations: Pick<RevocationCache, 'onNotice' | 'isTrusted'> | undefined
}

/**
 * Loads the signing keys of the service, and creates them at the first start. The keys are in the database, so that all
 * nodes share them. They are encrypted with the secret, so that a copy of the database does not suffice to sign. A
 * rotation on another node applies here within a second.
 *
 * @throws with instructions if the keys were encrypted with another secret than this one
 */
export async function openSigningKeys(deps: SigningKeysDeps, source: SecretSource): Promise<SigningKeys> {
  const { db, clock, revocations, accessSeconds } = deps
  const acceptedSeconds = acceptedSecondsOf({ accessSeconds })
  let secrets = await ensureKeys(deps, source)
  let keyring = createKeyring(secrets[0], secrets)
  let keys = new Map<string, LoadedKey>()
  const reading = createRefresher(async () => {
    // A rotation of the secret changes the files of the data folder.
    const [newest, ...others] = await readSecrets(source)
    if (newest !== undefined) secrets = [newest, ...others]
    const rows = await listSigningKeys(db, addSeconds(clock.now(), -acceptedSeconds))
    const loaded = await Promise.all(rows.map((row) => loadSigningKey(row, secrets, source)))
    keyring = createKeyring(ownSecretOf(loaded) ?? secrets[0], secrets)
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
  let refreshedUnknownAt = Number.NEGATIVE_INFINITY
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
      if (performance.now() - refreshedUnknownAt >= REFRESH_UNKNOWN_EVERY_MS) {
        refreshedUnknownAt = performance.now()
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
    derive: (purpose) => keyring.derive(purpose),
    deriveAll: (purpose) => keyring.deriveAll(purpose),
  }
}

/** Creates the secret at the first start, and the signing keys that are missing. Returns the secrets, newest first. */
async function ensureKeys({ db, clock }: SigningKeysDeps, source: SecretSource): Promise<[Buffer, ...Buffer[]]> {
  return db.transaction().execute(async (trx) => {
    await lockKeyCreation(trx)
    const existing = await listSigningKeys(trx, clock.now())
    const isFirst = existing.length === 0
    if (isFirst && (await readSecrets(source)).length === 0) await createSecret(source.dataDir)
    const secrets = await requireSecrets(source)
    const loaded = await Promise.all(existing.map((row) => loadSigningKey(row, secrets, source)))
    const secret = ownSecretOf(loaded) ?? secrets[0]
    for (const purpose of KEY_PURPOSES) {
      // The key `next` is published before it is used for signing, so that clients with a cached key set know it by
      // then.
      for (const state of ['current', 'next'] as const) {
        if (existing.some((key) => key.purpose === purpose && key.state === state)) continue
        await createSigningKey(trx, secret, { purpose, state }, clock.now())
        if (!isFirst) await notify(trx, KEYS_CHANGED)
      }
    }
    return secrets
  })
}

/** Returns whether a text can be the name of a key. All names are RFC 7638 thumbprints with SHA-256. */
function isName(kid: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(kid)
}

/** Reads data again when it has changed. Concurrent callers share one read. */
function createRefresher(read: () => Promise<void>) {
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
    /** Reads the current data. It does not use the result of a read that began before this call. */
    again: async (): Promise<void> => {
      asked += 1
      const mine = asked
      while (done < mine) {
        running ??= runForAll(run).finally(() => {
          running = undefined
        })
        await running
      }
    },
    running: () => running,
    /** Whether `again` was called for a change that has not been read yet. */
    isDue: () => done < asked,
    ageMs: () => performance.now() - beganAt,
  }
}
