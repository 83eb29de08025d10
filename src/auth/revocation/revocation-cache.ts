import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pTimeout from 'p-timeout'
import type { PoolClient } from 'pg'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { DatabasePool, Db, Trx } from '../../platform/db/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { listRecentlyChanged } from './store.ts'

const CHANNEL = 'platen_access'

/** Prefix of the messages that name a topic. Messages without a prefix are ids. */
const NOTICE = 'notice '
const PROBE = 'probe '

/**
 * Together, the interval and the timeout of the heartbeat ensure that a revocation applies on every node within one
 * second.
 */
const HEARTBEAT_MS = 300
const TRUSTED_FOR_MS = 900

const PROBE_TIMEOUT_MS = 2_000
const RETRY_AFTER_MS = 500

/**
 * Knows which sessions, keys and users changed recently, so that most requests need no query to check their credential.
 *
 * Nodes broadcast only the ids of what changed. A node checks such an id against the database on each use, until all
 * credentials from before the change have expired. An unnecessary invalidation, such as that of a transaction that is
 * rolled back, does no harm except for these queries.
 */
export interface RevocationCache {
  /**
   * Invalidates ids of sessions, keys or users. On this node it has effect at once, on the other nodes when the
   * transaction commits.
   */
  invalidate(trx: Trx, ...ids: string[]): Promise<void>
  /**
   * Returns whether the ids must be checked against the database, because one of them was invalidated or because this
   * node may have missed an invalidation.
   */
  mustRevalidate(...ids: string[]): boolean
  /** Returns whether this node currently receives invalidations. */
  isTrusted(): boolean
  /**
   * Calls `readAgain` after each `notify` of the topic on any node. After the subscription was lost and renewed, it
   * also calls `readAgain` before `isTrusted` becomes true again.
   */
  onNotice(topic: string, readAgain: () => Promise<void>): void
  /**
   * Returns how many subscriptions this node has had so far. Data that was read at a lower count may be outdated,
   * because this node may have missed a change of it between two subscriptions.
   */
  subscriptionCount(): number
  close(): Promise<void>
}

export interface RevocationCacheDeps {
  db: Db
  openApart: DatabasePool['openApart']
  clock: Clock
  log: Log
  /** Time for which a client can use a credential that was issued before a change. */
  invalidationSeconds: number
}

/**
 * Subscribes to the invalidations of other nodes. It retries until it is closed. While no subscription works, every
 * request is checked against the database.
 */
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

/** Makes every node call `readAgain` of a topic when the transaction commits. */
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
    // The ids are in the order in which they expire, because adding an id again moves it to the end of the map.
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
      // The connection is closed. If it returned to the pool, it would keep its subscription.
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
      // PostgreSQL sends notifications before later responses on a connection. So this response shows that all earlier
      // notifications have arrived.
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

  /**
   * Sends a notification and waits until it arrives. A connection pooler can drop notifications without an error, so
   * only an arrived one shows that the subscription works.
   */
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
        // One warning per outage is enough, so failed retries are logged at the level `debug`.
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
