import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../../command-line/command-error.ts'
import type { Connection } from '../requests/connection.ts'
import { ApiError } from '../requests/problem.ts'
import { causeOf } from '../requests/request.ts'
import { readEarlier } from './earlier-events.ts'
import { Interruption, interruptionBy, openStream } from './open-stream.ts'
import type { ReceivedEvent } from './received-event.ts'
import { readFrames } from './sse.ts'

export interface FollowOptions {
  /** Reads the events since this time first. Default: the stream starts with the next event. */
  since?: Date | undefined
  /** Ends the stream without an error. */
  signal: AbortSignal
  /** Called when the stream has started: it yields every event from then on. */
  onStart?: () => void
  /** Called when the connection is interrupted. */
  onInterruption?: (notice: string) => void
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 30_000
/** Longest `Retry-After` that is obeyed. Timers of Node.js take 24 days at most, and fire at once beyond. */
const MAX_RETRY_AFTER_MS = 600_000

/** What has to survive a connection. */
interface Progress {
  /** The position: the last event that the caller has taken, or behind which the first stream started. */
  lastEventId: string | undefined
  /** Earlier events to read before the stream starts. Without a position, the stream would miss later events. */
  readsSince: Date | undefined
  hasStarted: boolean
  delayMs: number
}

/**
 * Yields events as they happen. After an interruption it continues behind the last event that the caller has taken, so
 * that no event is skipped or repeated.
 *
 * @throws {CommandError} if the service refuses the stream, or the first connection fails
 */
export async function* followEvents(connection: Connection, options: FollowOptions): AsyncGenerator<ReceivedEvent> {
  const { signal, onInterruption, since } = options
  const progress: Progress = { lastEventId: undefined, readsSince: since, hasStarted: false, delayMs: FIRST_DELAY_MS }
  while (!signal.aborted) {
    try {
      yield* followOnce(connection, options, progress)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Interruption)) throw error
      if (!progress.hasStarted) throw new CommandError(`${error.message}.`)
      const backoffMs = progress.delayMs * (0.75 + Math.random() / 2)
      const waitMs = Math.max(Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS), backoffMs)
      onInterruption?.(`${error.message}. Reconnecting in ${(waitMs / 1000).toFixed(1)} s.`)
      progress.delayMs = Math.min(MAX_DELAY_MS, progress.delayMs * 2)
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Follows the stream over one connection. Returns if earlier events have to be read again. */
async function* followOnce(connection: Connection, options: FollowOptions, progress: Progress) {
  if (progress.readsSince !== undefined)
    yield* catchUp(connection, { since: progress.readsSince, signal: options.signal }, progress)
  const connecting = new AbortController()
  const signal = AbortSignal.any([options.signal, connecting.signal])
  try {
    const response = await openStream(connection, progress.lastEventId, signal)
    for await (const { id, data, isOpening } of readFrames(response)) {
      if (data !== undefined) yield toReceived(data)
      else if (id !== undefined && progress.readsSince !== undefined) return
      // Only now has the caller taken the event.
      if (id !== undefined) moveTo(id, progress)
      if (isOpening === true) start(options, progress)
    }
  } catch (error) {
    if (error instanceof Interruption || error instanceof CommandError) throw error
    throw new Interruption(`The connection was lost: ${causeOf(error)}`)
  } finally {
    connecting.abort()
  }
  throw new Interruption('The service closed the event stream')
}

/** Reads earlier events. If none exists yet, the progress has no position, and the next attempt reads them again. */
async function* catchUp(
  connection: Connection,
  { since, signal }: { since: Date; signal: AbortSignal },
  progress: Progress,
) {
  try {
    const reading = readEarlier(connection, since, signal)
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done === true) {
        if (next.value !== undefined) moveTo(next.value, progress)
        return
      }
      yield next.value
      moveTo(next.value.id, progress)
    }
  } catch (error) {
    if (!(error instanceof CommandError && progress.hasStarted)) throw error
    throw error instanceof ApiError ? interruptionBy(error) : new Interruption(error.message)
  }
}

function moveTo(id: string, progress: Progress): void {
  progress.lastEventId = id
  progress.readsSince = undefined
}

function start({ onStart }: FollowOptions, progress: Progress): void {
  progress.delayMs = FIRST_DELAY_MS
  // The account has no event, so there is no position either. All events that it will have are new.
  if (progress.lastEventId === undefined) progress.readsSince ??= new Date(0)
  if (!progress.hasStarted) onStart?.()
  progress.hasStarted = true
}

function toReceived(json: string): ReceivedEvent {
  return { ...(JSON.parse(json) as Omit<ReceivedEvent, 'json'>), json }
}
