import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import type { LimitedLookUp } from '../../platform/http/rate-limit.ts'
import { lazily } from '../../platform/lazily.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { effectivePermissions } from '../access/permissions.ts'
import type { Audit } from '../audit/audit.ts'
import type { Client } from '../caller.ts'
import { hashSecret } from '../keys/secrets.ts'
import type { RevocationCache } from '../revocation/revocation-cache.ts'
import { isApiKeyFormed } from './key-format.ts'
import { findKeyBySecret, type KnownKey, noteMisuse, touchKey } from './store.ts'

const CACHED_KEYS = 5_000
const NOTE_USE_EVERY_MS = 60_000
const NOTE_MISUSE_EVERY_MS = 3_600_000

/**
 * Time for which an unknown or revoked key is rejected without a query. This is safe because an unknown key cannot
 * become valid later: clients get keys only from the service.
 */
const INVALID_FOR_MS = 30_000

interface SeenKey {
  found: KnownKey
  principal: Principal
  expiresAtMs: number
  readAtMs: number
  /**
   * Value of `subscriptionCount()` before the key was read. If the value has changed since, invalidations may have been
   * missed.
   */
  subscriptionCount: number
}

interface InvalidKey {
  /** The revoked key, whose use is recorded. Undefined if no key with this secret exists. */
  revoked: KnownKey | undefined
  untilMs: number
}

export interface KeyDeps {
  db: Db
  pool: Pool
  clock: Clock
  log: Log
  revocations: RevocationCache
  audit: Audit
  /** Time for which an id counts as invalidated after a change. */
  invalidationSeconds: number
}

/** Authenticates API keys. It queries the database for a key that is not cached or was invalidated. */
export function createKeyAuthenticator(deps: KeyDeps) {
  const { pool, clock, revocations, invalidationSeconds } = deps
  // A cache reserves memory for all its entries, and many services have no API keys.
  const seen = lazily(() => new LRUCache<string, SeenKey>({ max: CACHED_KEYS }))
  // A separate cache, so that invented keys do not evict valid ones. It stores hashes, because an invented key may be
  // the secret of another service.
  const invalid = lazily(() => new LRUCache<string, InvalidKey>({ max: CACHED_KEYS }))
  const uses = createUseRecorder(deps)

  const lookUp = async (key: string, client: Client): Promise<SeenKey | undefined> => {
    const readAtMs = clock.now().getTime()
    const subscriptionCount = revocations.subscriptionCount()
    const digest = hashSecret(key)
    const found = await findKeyBySecret(pool, digest)
    if (found === undefined || found.isRevoked) {
      seen().delete(key)
      invalid().set(digest, { revoked: found, untilMs: readAtMs + INVALID_FOR_MS })
      if (found !== undefined) uses.noteMisuse(found, client)
      return undefined
    }
    if (found.isOwnerDisabled) {
      seen().delete(key)
      return undefined
    }
    const principal = principalOfKey(found)
    const expiresAtMs = found.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    const known = { found, principal, expiresAtMs, readAtMs, subscriptionCount }
    seen().set(key, known)
    return known
  }

  /** Returns whether a recent query found the key to be unknown or revoked. */
  const isKnownInvalid = (key: string, client: Client): boolean => {
    const known = invalid().get(hashSecret(key))
    if (known === undefined || clock.now().getTime() >= known.untilMs) return false
    if (known.revoked !== undefined) uses.noteMisuse(known.revoked, client)
    return true
  }

  const find = async (key: string, client: Client, lookUpLimited: LimitedLookUp): Promise<SeenKey | undefined> => {
    const cached = seen().get(key)
    // A cached key exists, so reading it again is exempt from the limit of lookups, which is meant for invented keys.
    if (cached !== undefined) return isFresh(cached) ? cached : lookUp(key, client)
    return isKnownInvalid(key, client) ? undefined : lookUpLimited(() => lookUp(key, client))
  }

  /**
   * Returns whether a cached key can be used without a query. A key is cached for a shorter time than its invalidation
   * lasts, so no change is overlooked.
   */
  const isFresh = ({ principal, readAtMs, subscriptionCount }: SeenKey): boolean =>
    subscriptionCount === revocations.subscriptionCount() &&
    clock.now().getTime() - readAtMs < invalidationSeconds * 1000 &&
    !revocations.mustRevalidate(principal.credentialId, principal.userId)

  return {
    authenticate: async (key: string, client: Client, lookUpLimited: LimitedLookUp): Promise<Principal | undefined> => {
      if (!isApiKeyFormed(key)) return undefined
      const known = await find(key, client, lookUpLimited)
      if (known === undefined) return undefined
      if (known.expiresAtMs <= clock.now().getTime()) {
        uses.noteMisuse(known.found, client)
        return undefined
      }
      uses.note(known.principal.credentialId)
      return known.principal
    },
    close: uses.close,
  }
}

export function principalOfKey({ id: credentialId, userId, role, staffRole, grants }: KnownKey): Principal {
  const permissions = effectivePermissions(grants, { role, staffRole })
  return { kind: 'api_key', userId, role, staffRole, credentialId, permissions }
}

/** Records the use of keys in the background, so that requests neither wait for it nor fail with it. */
function createUseRecorder({ db, clock, log, audit }: KeyDeps) {
  const uses = lazily(() => new LRUCache<string, number>({ max: CACHED_KEYS }))
  const misuses = lazily(() => new LRUCache<string, number>({ max: CACHED_KEYS }))
  const running = new Set<Promise<void>>()

  const isDue = (noted: LRUCache<string, number>, keyId: string, everyMs: number): boolean => {
    const now = clock.now().getTime()
    const last = noted.get(keyId)
    if (last !== undefined && now - last < everyMs) return false
    noted.set(keyId, now)
    return true
  }

  const runInBackground = (keyId: string, work: Promise<void>): void => {
    const ended = work
      .catch((error: unknown) => log.warn({ err: error, keyId }, 'recording the use of an API key failed'))
      .finally(() => running.delete(ended))
    running.add(ended)
  }

  const recordMisuse = async ({ id, userId }: KnownKey, client: Client): Promise<void> => {
    await db.transaction().execute(async (trx) => {
      if (!(await noteMisuse(trx, id, clock.now()))) return
      const event = { type: 'api_key_used_after_end', result: 'failure', actor: null, method: 'api_key' } as const
      await audit.record(trx, { ...event, userId, client, details: { key: id } })
    })
  }

  return {
    note: (keyId: string): void => {
      if (isDue(uses(), keyId, NOTE_USE_EVERY_MS)) runInBackground(keyId, touchKey(db, keyId, clock.now()))
    },
    noteMisuse: (key: KnownKey, client: Client): void => {
      if (isDue(misuses(), key.id, NOTE_MISUSE_EVERY_MS)) runInBackground(key.id, recordMisuse(key, client))
    },
    close: async (): Promise<void> => {
      await Promise.all(running)
    },
  }
}
