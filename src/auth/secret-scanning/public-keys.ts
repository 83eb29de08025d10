import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { fetchOutbound } from '../../platform/outbound-http.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/** Limits of the response of GitHub, which contains a few keys of some 300 bytes. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 }

const RENEW_AFTER_MS = 3_600_000
/**
 * While GitHub is unavailable, cached keys are used for this time. Older keys may have been revoked, so they are not
 * used.
 */
const MAX_AGE_MS = 24 * 3_600_000
/**
 * Minimum time between two requests for keys. Without it, reports that name unknown keys could cause any number of
 * requests.
 */
const MIN_FETCH_INTERVAL_MS = 60_000

export interface PublicKeys {
  /**
   * Finds a key by its name.
   *
   * @throws {KeysUnavailable} if the key is not cached and the keys cannot be fetched
   */
  find(identifier: string): Promise<KeyObject | undefined>
}

/** Thrown if the keys cannot be fetched and the cached keys do not contain the needed one. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

interface Known {
  keys: ReadonlyMap<string, KeyObject>
  etag: string | null
  readAtMs: number
}

/**
 * Fetches the keys from a URL (`{ public_keys: [{ key_identifier, key, is_current }] }`) and caches them for an hour.
 * An unknown name causes another request, at most one a minute.
 */
export function createPublicKeys({ clock, log, url }: { clock: Clock; log: Log; url: string }): PublicKeys {
  let known: Known | undefined
  let fetchedAtMs = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let fetching: Promise<void> | undefined

  const fetchKeys = async (): Promise<void> => {
    fetchedAtMs = clock.now().getTime()
    try {
      known = await readKeys(url, known, fetchedAtMs)
      hasFailed = false
    } catch (error) {
      hasFailed = true
      log.warn({ reason: (error as Error).message }, 'fetching the keys for secret scanning failed')
    }
  }

  const ageMs = (): number => (known === undefined ? Number.POSITIVE_INFINITY : clock.now().getTime() - known.readAtMs)
  const lookUp = (identifier: string): KeyObject | undefined =>
    ageMs() < MAX_AGE_MS ? known?.keys.get(identifier) : undefined

  return {
    find: async (identifier) => {
      if (lookUp(identifier) === undefined || ageMs() >= RENEW_AFTER_MS) {
        const isDue = clock.now().getTime() - fetchedAtMs >= MIN_FETCH_INTERVAL_MS
        if (isDue) fetching = fetchKeys()
        await fetching
      }
      const key = lookUp(identifier)
      if (key === undefined && hasFailed) throw new KeysUnavailable()
      return key
    },
  }
}

async function readKeys(url: string, before: Known | undefined, readAtMs: number): Promise<Known> {
  const etag = before?.etag ?? null
  const response = await fetchOutbound(url, {
    headers: {
      Accept: 'application/json',
      'User-Agent': 'platen',
      ...(etag === null ? {} : { 'If-None-Match': etag }),
    },
    ...LIMITS,
  })
  if (response.status === 304 && before !== undefined) return { ...before, readAtMs }
  if (response.status !== 200) {
    await response.discard()
    throw new Error(`the status was ${response.status}`)
  }
  const keys = parseKeys((await response.read()).toString('utf8'))
  return { keys, etag: response.headers.get('etag'), readAtMs }
}

/**
 * Parses the response. It ignores keys that are not ECDSA keys on P-256, because only signatures of such keys are
 * accepted.
 */
function parseKeys(text: string): ReadonlyMap<string, KeyObject> {
  const { public_keys: listed } = JSON.parse(text) as { public_keys?: unknown }
  if (!Array.isArray(listed)) throw new Error('the response has no list of keys')
  const keys = new Map<string, KeyObject>()
  for (const entry of listed as { key_identifier?: unknown; key?: unknown }[]) {
    const key = typeof entry?.key === 'string' ? toKey(entry.key) : undefined
    if (typeof entry?.key_identifier === 'string' && key !== undefined) keys.set(entry.key_identifier, key)
  }
  return keys
}

function toKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}
