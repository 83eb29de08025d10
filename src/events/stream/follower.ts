import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { RequestContext } from '../../platform/concurrency/request-context.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import { comparePositions, type Event, type EventPosition } from '../../platform/outbox/index.ts'
import type { VisibleEvents } from '../visible-events.ts'
import { HEARTBEAT, openingFrame } from './frames.ts'

/**
 * Maximum number of bytes that wait in this process for a client, in addition to one event and the buffer of the
 * kernel.
 */
const BUFFER_BYTES = 16 * 1024

/**
 * Size of the pieces in which events are sent. They are small, so that the service can distinguish a slow client from a
 * client that reads nothing.
 */
const PIECE_BYTES = 16 * 1024

const HEARTBEAT_EVERY_MS = 15_000

/** Time after which a client that reads nothing is disconnected. */
const STALLED_AFTER_MS = 30_000

/** Time within which waiting data must be sent after the end of a stream. */
const END_WITHIN_MS = 300

export interface Following {
  /** Determines the current caller; undefined if the credential is no longer valid. */
  authenticate: () => Promise<Principal | undefined>
  response: ServerResponse
  /** The caller who opened the stream. */
  principal: Principal
  /** The events that the caller may see. */
  visible: VisibleEvents
  type: string | undefined
  /** The stream starts after this position. */
  after: EventPosition
  /** The last event before the start, for a client that has not named one. */
  lastEventId?: string | undefined
}

/** A stream that has a place. */
export interface Placed extends Following {
  /** The share of the caller, or what the shares of the visitors of its network have in common. */
  share: string
  /** The request that opened the stream, in whose context the stream reads events. */
  request?: RequestContext | undefined
}

/** Maximum number of events that a stream that is not up to date reads at a time. */
const CATCH_UP_PAGE = 20

/** One open stream, with its caller, its position and its remaining buffer. */
export interface Follower extends Placed {
  body: Readable
  /** The position of the stream: all events up to it that the caller may see were sent. */
  cursor: EventPosition
  /**
   * Whether the live reading passes new events to this stream. Otherwise the stream reads the events after its cursor
   * itself.
   */
  isLive: boolean
  isReading: boolean
  /**
   * How many events to read next: about as many as the client took after the last reading. Large events fill the buffer
   * one by one, and would be read again for each one sent.
   */
  page: number
  isOver(): boolean
  hasRoom(): boolean
  /** Sends an event and moves the cursor. Call this method only if the buffer has room. */
  send(event: Event, frame: Buffer): void
  /** Returns whether an event belongs into the stream and was not sent yet. */
  isFor(event: Event): boolean
  /** Sets `page` after a reading, of which the client took this part. */
  noteTaken(events: { read: number; sent: number }): void
  /** Sends heartbeats, and disconnects a client that reads nothing. It is called several times a second. */
  tick(nowMs: number): void
  /** Ends the stream after the waiting data was sent. If the client does not read the data, it is disconnected soon. */
  end(): void
  /** Closes the connection at once. */
  cut(): void
}

/** Creates a stream. @param onRoom called when a full buffer has room again */
export function createFollower(following: Placed, nowMs: number, onRoom: (follower: Follower) => void): Follower {
  const { response } = following
  let isFull = false
  let isEnding = false
  let lastSentMs = nowMs
  let pushedBytes = 0
  let takenBytes = 0
  let takenAtMs = nowMs

  const body = new Readable({
    highWaterMark: BUFFER_BYTES,
    read: () => {
      if (!isFull) return
      isFull = false
      onRoom(follower)
    },
  })
  const push = (frame: Buffer): void => {
    pushedBytes += frame.length
    for (let start = 0; start < frame.length; start += PIECE_BYTES) {
      isFull = !body.push(frame.subarray(start, start + PIECE_BYTES))
    }
  }

  const follower: Follower = {
    ...following,
    body,
    cursor: following.after,
    isLive: false,
    isReading: false,
    page: CATCH_UP_PAGE,
    isOver: () => isEnding || body.destroyed,
    hasRoom: () => !isFull,
    send: (event, frame) => {
      follower.cursor = event.at
      push(frame)
    },
    isFor: (event) =>
      !follower.isOver() &&
      (following.type === undefined || following.type === event.type) &&
      !following.visible.hiddenTypes.includes(event.type) &&
      comparePositions(event.at, follower.cursor) > 0,
    noteTaken: ({ read, sent }) => {
      follower.page = sent < read ? Math.max(1, sent) : Math.min(CATCH_UP_PAGE, 2 * follower.page)
    },
    tick: (now) => {
      if (follower.isOver()) return
      const taken = pushedBytes - body.readableLength - response.writableLength
      if (!isFull || taken !== takenBytes) takenAtMs = now
      takenBytes = taken
      if (now - takenAtMs >= STALLED_AFTER_MS) follower.cut()
      if (isFull || now - lastSentMs < HEARTBEAT_EVERY_MS) return
      lastSentMs = now
      push(HEARTBEAT)
    },
    end: () => {
      if (isEnding) return
      isEnding = true
      body.push(null)
      setTimeout(follower.cut, END_WITHIN_MS).unref()
    },
    cut: () => {
      isEnding = true
      response.destroy()
    },
  }
  push(openingFrame(following.lastEventId))
  return follower
}
