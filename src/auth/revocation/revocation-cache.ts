import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pTimeout from 'p-timeout'
import type { PoolClient } from 'pg'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { DatabasePool, Db, Trx } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import { listRecentlyChanged } from './store.ts'

const CHANNEL = 'platen_access'

/** Prefix of messages that are not ids. */
const NOTICE = 'notice '
const PROBE = 'probe '

/** Heartbeat interval and timeout together ensure that a revocation applies everywhere within one second. */
const HEARTBEAT_MS = 300
const TRUSTED_FOR_MS = 900

const PROBE_TIMEOUT_MS = 2_000
const RETRY_AFTER_MS = 500

/**
 * Knows which sessions, keys and users changed recently, so that requests cost no query while nothing changes.
 *
 * Nodes broadcast invalidations, not new states. An invalidated id is checked against the database on each use, until
 * all credentials from before the change have expired. A superfluous invalidation, such as that of a rolled-back
 * transaction, only costs queries.
 */
export interface RevocationCache {
  /** Invalidates ids of sessions, keys or users: at once here, and on every other node when the transaction commits. */
  invalidate(trx: Trx, ...ids: string[]): Promise<void>
  /** Whether to check the ids in the database: one is invalidated, or this node may have missed an invalidation. */
  mustRevalidate(...ids: string[]): boolean
  /** Whether this node currently receives invalidations. */
  isTrusted(): boolean
  /**
   * Calls `readAgain` after each `notify` of the topic on any node. After a lost subscription it calls it before
   * `isTrusted` becomes true again.
   */
  onNotice(topic: string, readAgain: () => Promise<void>): void
  /**
   * Number of subscriptions so far. Data that was read at a lower count may be older than a change that this node
   * missed.
   */
  subscriptionCount(): number
  close(): Promise<void>
}

export interface RevocationCacheDeps {
  db: Db
  openApart: DatabasePool['openApart']
  clock: Clock
  log: Log
  /** How long a credential from before a change can be presented after it. */
  invalidationSeconds: number
}

/** Subscribes, and retries until it is closed. Without a subscription, every request checks the database. */
export async function startRevocationCache(deps: RevocationCacheDeps): Promise<RevocationCache> {
  const invalidated = createInvalidatedIds(deps.clock, deps.invalidationSeconds)
  const topics: Topics = new Map()
  const channel = createChannel(deps, invalidated, topics)
  await channel.firstTry
  return {
    invalidate: async (trx, ...ids) => {
      for (const id of ids) {
        invalidated.add(id)
        await sql`select pg_notify(${CHANNEL}, ${id})`.execute(trx)
      }
    },
    subscriptionCount: channel.subscriptionCount,
    mustRevalidate: (...ids) => !channel.isTrusted() || ids.some((id) => invalidated.has(id)),
    isTrusted: channel.isTrusted,
    onNotice: (topic, readAgain) => topics.set(topic, readAgain),
    close: channel.close,
  }
}

/** Tells every node to read a topic again, when the transaction commits. */
export async function notify(trx: Trx, topic: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${`${NOTICE}${topic}`})`.execute(trx)
}

type Topics = Map<string, () => Promise<void>>

interface InvalidatedIds {
  add(id: string): void
  has(id: string): boolean
}

function createInvalidatedIds(clock: Clock, invalidationSeconds: number): InvalidatedIds {
  const until = new Map<string, number>()
  const forget = (): void => {
    const now = clock.now().getTime()
    // The map is ordered by expiry, because adding an id again moves it to the end.
    for (const [id, end] of until) {
      if (end > now) return
      until.delete(id)
    }
  }
  return {
    add: (id) => {
      forget()
      until.delete(id)
      until.set(id, addSeconds(clock.now(), invalidationSeconds).getTime())
    },
    has: (id) => {
      if (until.size === 0) return false
      const end = until.get(id)
      return end !== undefined && end > clock.now().getTime()
    },
  }
}

function createChannel(
  { db, openApart, clock, log, invalidationSeconds }: RevocationCacheDeps,
  invalidated: InvalidatedIds,
  topics: Topics,
) {
  const own = openApart({ application_name: 'platen revocations' })
  const stop = new AbortController()
  let confirmedAt = Number.NEGATIVE_INFINITY
  let subscriptionCount = 0
  let onProbe: ((text: string) => void) | undefined

  const listen = async (onTrusted: () => void): Promise<void> => {
    const client = await own.pool.connect()
    const broken = new Promise<never>((_, reject) => client.on('error', reject))
    broken.catch(() => undefined)
    client.on('notification', ({ payload = '' }) => {
      if (payload.startsWith(PROBE)) onProbe?.(payload)
      else if (payload.startsWith(NOTICE)) readAgain(payload.slice(NOTICE.length))
      else invalidated.add(payload)
    })
    try {
      await Promise.race([broken, follow(client, onTrusted)])
    } finally {
      confirmedAt = Number.NEGATIVE_INFINITY
      // Closed instead of returned to the pool, which would keep its subscription.
      client.release(true)
    }
  }

  const follow = async (client: PoolClient, onTrusted: () => void): Promise<void> => {
    await client.query(`listen ${CHANNEL}`)
    subscriptionCount += 1
    await probe()
    for (const read of topics.values()) await read()
    for (const id of await listRecentlyChanged(db, addSeconds(clock.now(), -invalidationSeconds))) invalidated.add(id)
    while (!stop.signal.aborted) {
      const sentAt = performance.now()
      // A response on this connection shows that all earlier messages on it have arrived.
      await pTimeout(client.query('select 1'), { milliseconds: HEARTBEAT_MS * 10 })
      confirmedAt = sentAt
      onTrusted()
      await delay(HEARTBEAT_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }

  const readAgain = (topic: string): void => {
    topics
      .get(topic)?.()
      .catch((error: unknown) => log.warn({ err: error, topic }, 'reading a changed topic failed'))
  }

  /** A connection pooler may swallow notifications, so the subscription counts only after one has come through. */
  const probe = async (): Promise<void> => {
    const text = `${PROBE}${randomUUID()}`
    const { promise, resolve } = Promise.withResolvers<void>()
    onProbe = (received) => {
      if (received === text) resolve()
    }
    await sql`select pg_notify(${CHANNEL}, ${text})`.execute(db)
    await pTimeout(promise, { milliseconds: PROBE_TIMEOUT_MS })
  }

  const first = Promise.withResolvers<void>()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      let wasTrusted = false
      const onTrusted = (): void => {
        wasTrusted = true
        first.resolve()
      }
      await listen(onTrusted).catch((error: unknown) => {
        // One warning per outage is enough; retries log at debug level.
        const level = wasTrusted ? 'warn' : 'debug'
        log[level]({ err: error }, 'the revocation channel is down: every request is checked against the database')
      })
      first.resolve()
      await delay(RETRY_AFTER_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const ended = run()
  return {
    firstTry: first.promise,
    subscriptionCount: () => subscriptionCount,
    isTrusted: () => performance.now() - confirmedAt < TRUSTED_FOR_MS,
    close: async () => {
      stop.abort()
      await ended
      await own.close()
    },
  }
}
