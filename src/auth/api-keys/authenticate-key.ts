import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { Principal } from '../../platform/http/principal.ts'
import type { Log } from '../../platform/log.ts'
import { effectivePermissions } from '../access/permissions.ts'
import type { AccessWatch } from '../access/watch.ts'
import { hashApiKey, isApiKeyFormed } from './key-format.ts'
import { findUsableKey, touchKey } from './store.ts'

const CACHED_KEYS = 5_000
const NOTE_USE_EVERY_MS = 60_000

interface SeenKey {
  principal: Principal
  expiresAtMs: number
  readAtMs: number
  /** `timesListened` of the watch before it was read. */
  timesListened: number
}

export interface KeyDeps {
  pool: Pool
  clock: Clock
  log: Log
  watch: AccessWatch
  /** How long after a change the watch keeps doubting. */
  doubtSeconds: number
}

/** Recognises API keys; looks one up in the database when it is new here, or doubted. */
export function createKeyAuthenticator(deps: KeyDeps) {
  const { pool, clock, watch, doubtSeconds } = deps
  const seen = new LRUCache<string, SeenKey>({ max: CACHED_KEYS })
  const uses = createUseRecorder(deps)

  const lookUp = async (key: string): Promise<SeenKey | undefined> => {
    const readAtMs = clock.now().getTime()
    const timesListened = watch.timesListened()
    const found = await findUsableKey(pool, hashApiKey(key))
    if (found === undefined) {
      seen.delete(key)
      return undefined
    }
    const principal: Principal = {
      kind: 'api_key',
      userId: found.userId,
      role: found.role,
      credentialId: found.id,
      permissions: effectivePermissions(found.grants, found.role),
    }
    const expiresAtMs = found.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    const known = { principal, expiresAtMs, readAtMs, timesListened }
    seen.set(key, known)
    return known
  }

  /** What is known is forgotten before a doubt about it could be, so that it is never older than the last change. */
  const isFresh = ({ principal, readAtMs, timesListened }: SeenKey): boolean =>
    timesListened === watch.timesListened() &&
    clock.now().getTime() - readAtMs < doubtSeconds * 1000 &&
    !watch.mustAsk(principal.credentialId, principal.userId)

  return {
    authenticate: async (key: string): Promise<Principal | undefined> => {
      if (!isApiKeyFormed(key)) return undefined
      const cached = seen.get(key)
      const known = cached !== undefined && isFresh(cached) ? cached : await lookUp(key)
      if (known === undefined || known.expiresAtMs <= clock.now().getTime()) return undefined
      uses.note(known.principal.credentialId)
      return known.principal
    },
    close: uses.close,
  }
}

/** Notes when keys are used, beside the requests: they neither wait for it nor fail with it. */
function createUseRecorder({ pool, clock, log }: KeyDeps) {
  const noted = new LRUCache<string, number>({ max: CACHED_KEYS })
  const running = new Set<Promise<void>>()
  return {
    note: (keyId: string): void => {
      const now = clock.now()
      const last = noted.get(keyId)
      if (last !== undefined && now.getTime() - last < NOTE_USE_EVERY_MS) return
      noted.set(keyId, now.getTime())
      const work = touchKey(pool, keyId, now)
        .catch((error: unknown) => log.warn({ err: error, keyId }, 'the use of an API key was not noted'))
        .finally(() => running.delete(work))
      running.add(work)
    },
    close: async (): Promise<void> => {
      await Promise.all(running)
    },
  }
}
