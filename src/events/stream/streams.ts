import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import { createFairSemaphore } from '../../platform/concurrency/semaphore.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import { type EventFeed, readEvents } from '../../platform/outbox/index.ts'
import { eventProblems } from '../problems.ts'
import { createFollower, type Follower, type Following } from './follower.ts'
import { eventFrame } from './frames.ts'
import { createLiveReading } from './live-reading.ts'

/** Events per read of a stream that is behind. The number is small, because one event may have a megabyte. */
const CATCH_UP_PAGE = 20

/**
 * The most streams that read in parallel. After a restart, all clients reconnect at once, and requests need the
 * database too. Accounts take turns.
 */
const CATCHING_UP = 3

/**
 * The interval between two checks of all credentials. It is short, so that a revoked credential ends its streams within
 * a second.
 */
const JUDGE_EVERY_MS = 300
const JUDGED_AT_ONCE = 4

export interface EventStreamDeps {
  db: Db
  clock: Clock
  log: Log
  feed: EventFeed
  registry: Registry
  limits: EventStreamLimits
}

/** Maximum number of open streams in this process. */
export interface EventStreamLimits {
  perUser: number
  total: number
}

export interface EventStreams {
  /**
   * Opens the body of a response that contains events until the client disconnects, the credential ends, the role of
   * the caller changes or the service stops. Sends each event exactly once.
   *
   * @throws `too_many_event_streams`, `event_streams_full`
   */
  open(following: Following): Readable
  /** Ends all streams and rejects new ones. */
  close(): Promise<void>
}

export function createEventStreams(deps: EventStreamDeps): EventStreams {
  const { db, clock, log, limits } = deps
  const followers = new Set<Follower>()
  const live = createLiveReading(deps)
  const reading = createFairSemaphore(CATCHING_UP)
  const tending = createTending(deps, followers)
  let isClosed = false

  /** Reads events for a stream that is behind, until the stream is up to date or its buffer is full. */
  const catchUp = async (follower: Follower): Promise<void> => {
    if (follower.isLive || follower.isReading) return
    follower.isReading = true
    try {
      while (!follower.isOver() && follower.hasRoom()) {
        if (await reading.run(follower.principal.userId, () => sendNext(follower))) {
          if (live.join(follower)) return
        }
      }
    } catch (error) {
      log.debug({ err: error }, 'a stream of events ended: nothing could be read')
      follower.end()
    } finally {
      follower.isReading = false
    }
  }

  /** Sends the next events. Returns whether all readable events were sent. */
  const sendNext = async (follower: Follower): Promise<boolean> => {
    // The client may have disconnected while the stream waited for its turn.
    if (follower.isOver()) return false
    const { ownerId, type, cursor: after } = follower
    const { events, upTo, isFull } = await readEvents(db, { ownerId, type, after, limit: CATCH_UP_PAGE })
    if (follower.isOver()) return false
    for (const event of events) {
      if (!follower.hasRoom()) return false
      follower.send(event, eventFrame(event))
    }
    follower.cursor = upTo
    return !isFull
  }

  const startCatchUp = (follower: Follower): void => {
    catchUp(follower).catch((error: unknown) => log.error({ err: error }, 'a stream of events failed'))
  }

  const remove = (follower: Follower): void => {
    live.leave(follower)
    followers.delete(follower)
    tending.rest()
  }

  new Gauge({
    name: 'platen_event_streams',
    help: 'Open streams of events.',
    registers: [deps.registry],
    collect() {
      this.set(followers.size)
    },
  })

  return {
    open: (following) => {
      if (isClosed || followers.size >= limits.total) {
        throw eventProblems.event_streams_full({ headers: { 'Retry-After': '5' } })
      }
      requirePlace(followers, following.principal.userId, limits.perUser)
      const follower = createFollower(following, clock.now().getTime(), startCatchUp)
      // If the client has disconnected already, no `close` event follows.
      if (following.response.destroyed) return follower.body
      followers.add(follower)
      following.response.once('close', () => remove(follower))
      tending.begin()
      startCatchUp(follower)
      return follower.body
    },
    close: async () => {
      isClosed = true
      for (const follower of followers) follower.end()
      while (followers.size > 0) await delay(10)
    },
  }
}

function requirePlace(followers: ReadonlySet<Follower>, userId: string, places: number): void {
  let taken = 0
  for (const { principal } of followers) if (principal.userId === userId) taken += 1
  if (taken < places) return
  const detail = `You have ${taken} open streams of events, as many as one account may have.`
  throw eventProblems.too_many_event_streams({ detail, headers: { 'Retry-After': '10' } })
}

/**
 * Runs while streams are open. Sends heartbeats, disconnects clients that read nothing, and ends streams whose
 * credentials are no longer valid.
 */
function createTending({ clock, log }: EventStreamDeps, followers: ReadonlySet<Follower>) {
  let timer: NodeJS.Timeout | undefined
  let isJudging = false

  const judge = async (follower: Follower): Promise<void> => {
    if (follower.isOver()) return
    // If the check fails, the stream ends and the client reconnects.
    const principal = await follower.authenticate().catch(() => undefined)
    // The events that a caller may see depend on the role.
    if (principal?.role !== follower.principal.role) follower.end()
  }

  const judgeAll = async (): Promise<void> => {
    if (isJudging) return
    isJudging = true
    const waiting = [...followers].values()
    const lane = async (): Promise<void> => {
      for (const follower of waiting) await judge(follower)
    }
    try {
      await Promise.all(Array.from({ length: JUDGED_AT_ONCE }, lane))
    } finally {
      isJudging = false
    }
  }

  return {
    begin: (): void => {
      timer ??= setInterval(() => {
        const now = clock.now().getTime()
        for (const follower of followers) follower.tick(now)
        judgeAll().catch((error: unknown) => log.error({ err: error }, 'streams of events were not looked after'))
      }, JUDGE_EVERY_MS)
    },
    rest: (): void => {
      if (followers.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}
