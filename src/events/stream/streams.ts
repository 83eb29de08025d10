import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import { readPaced } from '../../platform/concurrency/paced-reads.ts'
import { currentRequest, runForAll, runInRequest } from '../../platform/concurrency/request-context.ts'
import { createFairSemaphore } from '../../platform/concurrency/semaphore.ts'
import { ConnectionTimeout, TransferLimited } from '../../platform/db/admission/connection-gate.ts'
import type { Db } from '../../platform/db/index.ts'
import { type FindShare, networkOfShare } from '../../platform/fair-share.ts'
import { type EventFeed, readEvents } from '../../platform/outbox/index.ts'
import type { Channel } from '../../platform/processes/channel.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { eventProblems } from '../problems.ts'
import { createFollower, type Follower, type Following } from './follower.ts'
import { eventFrame } from './frames.ts'
import { createLiveReading } from './live-reading.ts'
import { createPlaces, type EventStreamLimits } from './places.ts'
import { createRemotePlaces } from './remote-places.ts'

/**
 * Maximum number of streams that read at the same time. After a restart, all clients reconnect at once, and requests
 * need the database, too. The accounts are served in turn, and the visitors of a network together.
 */
const CATCHING_UP = 3

/**
 * Time between two checks of the credentials of all streams. It is short, so that the streams of a revoked credential
 * end within a second.
 */
const JUDGE_EVERY_MS = 300
const JUDGED_AT_ONCE = 4

/** How long a stream waits that got no connection to the database in time. */
const RETRY_AFTER_MS = 1_000

export interface EventStreamDeps {
  db: Db
  clock: Clock
  log: Log
  feed: EventFeed
  registry: Registry
  limits: EventStreamLimits
  /** The process that counts the streams of this node. Default: this one. */
  main?: Channel | undefined
  /** Finds the share of an account: its own, or that of all visitors of its network. */
  findShare: FindShare
}

export interface EventStreams {
  /**
   * Opens the body of a response that contains events. It ends when the client disconnects, the credential ends, the
   * role of the caller changes, or the service stops. Each event is sent exactly once.
   *
   * @throws `too_many_event_streams`, `event_streams_full`
   */
  open(following: Following): Promise<Readable>
  /** Ends all streams and rejects new ones. */
  close(): Promise<void>
}

export function createEventStreams(deps: EventStreamDeps): EventStreams {
  const { db, clock, log } = deps
  const followers = new Set<Follower>()
  const live = createLiveReading({ ...deps, onBehind: (follower) => startCatchUp(follower) })
  const reading = createFairSemaphore(CATCHING_UP)
  const tending = createTending(deps, followers)
  const places = deps.main === undefined ? createPlaces(deps.limits) : createRemotePlaces(deps.main)
  let isClosed = false

  /**
   * Reads events for a stream until the stream is up to date and has joined the live reading, or until its buffer is
   * full.
   */
  const catchUp = async (follower: Follower): Promise<void> => {
    if (follower.isLive || follower.isReading) return
    follower.isReading = true
    try {
      while (!follower.isOver() && follower.hasRoom()) {
        if ((await readOrWait(follower)) && live.join(follower)) return
      }
    } catch (error) {
      log.debug({ err: error }, 'an event stream ended because events could not be read')
      follower.end()
    } finally {
      // The client does not read, so the live reading need not read the events of its owner.
      if (!follower.isLive) live.leave(follower)
      follower.isReading = false
    }
  }

  /**
   * Reads as `readInTurn` does. If the customer has moved too many bytes, or the database is busy, waits instead and reads
   * nothing. A client whose stream ended would come back and read the same events, with a further request each time.
   */
  const readOrWait = async (follower: Follower): Promise<boolean> => {
    try {
      return await readInTurn(follower)
    } catch (error) {
      const waitMs = waitMsAfter(error)
      if (waitMs === undefined || follower.isOver()) throw error
      // The stream reads its events itself afterwards, so the live reading need not read them now.
      live.leave(follower)
      await waitUnlessClosed(follower, waitMs)
      return false
    }
  }

  /** Sends the next events of a stream, when it is its turn. Returns whether all readable events were sent. */
  const readInTurn = (follower: Follower): Promise<boolean> => {
    const { principal, share } = follower
    const read = () => reading.run(share, () => sendNext(follower))
    return principal.role === 'customer' ? readPaced({ account: principal.userId, share }, read) : read()
  }

  const sendNext = async (follower: Follower): Promise<boolean> => {
    // The client may have disconnected while the stream waited for the semaphore.
    if (follower.isOver()) return false
    const { visible, type, cursor: after } = follower
    const { events, upTo, isFull } = await readEvents(db, { ...visible, type, after, limit: follower.page })
    if (follower.isOver()) return false
    let sent = 0
    for (const event of events) {
      if (!follower.hasRoom()) break
      follower.send(event, eventFrame(event))
      sent += 1
    }
    follower.noteTaken({ read: events.length, sent })
    if (sent < events.length) return false
    follower.cursor = upTo
    return !isFull
  }

  /**
   * Starts to read for a stream in the context of its request, whichever work notices that the stream is behind.
   * Otherwise the reads would count as work of the service, without the share and the budget of the customer.
   */
  const startCatchUp = (follower: Follower): void => {
    const start = () => catchUp(follower).catch((error: unknown) => log.error({ err: error }, 'an event stream failed'))
    const { request } = follower
    if (request === undefined) runForAll(start)
    else runInRequest(request, start)
  }

  const remove = (follower: Follower): void => {
    live.leave(follower)
    followers.delete(follower)
    tending.rest()
  }

  new Gauge({
    name: 'platen_event_streams',
    help: 'Open event streams.',
    registers: [deps.registry],
    collect() {
      this.set(followers.size)
    },
  })

  return {
    open: async (following) => {
      const { userId, role } = following.principal
      const share = networkOfShare(await deps.findShare(userId))
      if (isClosed) throw eventProblems.event_streams_full({ headers: { 'Retry-After': '5' } })
      const end = (): void => follower.end()
      const leave = await places.take({ userId, isCustomers: role === 'customer', share, end })
      if (isClosed) {
        leave()
        throw eventProblems.event_streams_full({ headers: { 'Retry-After': '5' } })
      }
      const follower = createFollower(
        { ...following, share, request: currentRequest() },
        clock.now().getTime(),
        startCatchUp,
      )
      // If the client has already disconnected, the response emits no `close` event.
      if (following.response.destroyed) {
        leave()
        return follower.body
      }
      followers.add(follower)
      following.response.once('close', () => {
        leave()
        remove(follower)
      })
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

/** How long to wait until a stream can read again. Undefined: the error does not pass by itself. */
function waitMsAfter(error: unknown): number | undefined {
  if (error instanceof TransferLimited) return error.retryAfterSeconds * 1_000
  return error instanceof ConnectionTimeout ? RETRY_AFTER_MS : undefined
}

/** Waits until the time is over or the connection of the stream closes. */
async function waitUnlessClosed({ response }: Follower, waitMs: number): Promise<void> {
  const closed = new AbortController()
  const end = (): void => closed.abort()
  response.once('close', end)
  await delay(waitMs, undefined, { signal: closed.signal }).catch(() => undefined)
  response.off('close', end)
}

/**
 * Runs repeatedly while streams are open. It sends heartbeats, disconnects clients that read nothing, and ends streams
 * whose credentials are no longer valid.
 */
function createTending({ clock, log }: EventStreamDeps, followers: ReadonlySet<Follower>) {
  let timer: NodeJS.Timeout | undefined
  let isJudging = false

  const judge = async (follower: Follower): Promise<void> => {
    if (follower.isOver()) return
    // If the check fails, the stream ends and the client reconnects.
    const principal = await follower.authenticate().catch(() => undefined)
    // The events that a caller may see depend on the role.
    const { role, staffRole } = follower.principal
    if (principal?.role !== role || principal.staffRole !== staffRole) follower.end()
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
        runForAll(judgeAll).catch((error: unknown) =>
          log.error({ err: error }, 'checking the open event streams failed'),
        )
      }, JUDGE_EVERY_MS)
    },
    rest: (): void => {
      if (followers.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}
