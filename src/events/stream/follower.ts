import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Principal } from '../../platform/http/core/principal.ts'
import { comparePositions, type Event, type EventPosition } from '../../platform/outbox/index.ts'
import { HEARTBEAT, openingFrame } from './frames.ts'

/** The most bytes that wait for a client in this process, in addition to one event and the buffer of the kernel. */
const BUFFER_BYTES = 16 * 1024

/**
 * Events are sent in pieces of this size. The service can then distinguish a slow client from a client that reads
 * nothing.
 */
const PIECE_BYTES = 16 * 1024

const HEARTBEAT_EVERY_MS = 15_000

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 30_000

/** Time for pending data to be sent after the end of a stream. */
const END_WITHIN_MS = 300

export interface Following {
  /** Determines the current caller; undefined if the credential is no longer valid. */
  authenticate: () => Promise<Principal | undefined>
  response: ServerResponse
  /** The caller that opened the stream. */
  principal: Principal
  /** The owner of the events; undefined for all owners. */
  ownerId: string | undefined
  type: string | undefined
  /** The stream starts after this position. */
  after: EventPosition
}

/** One open stream, with its caller, its position and its remaining buffer. */
export interface Follower extends Following {
  body: Readable
  /** All events up to this position that the caller may see were sent. */
  cursor: EventPosition
  /** Whether live reading passes new events to the stream. Otherwise the stream reads events from its own cursor. */
  isLive: boolean
  isReading: boolean
  isOver(): boolean
  hasRoom(): boolean
  /** Sends an event and moves the cursor. Call this method only if the buffer has room. */
  send(event: Event, frame: Buffer): void
  /** Tells whether the caller may see an event that was not sent yet. */
  isFor(event: Event): boolean
  /** Sends heartbeats, and disconnects a client that reads nothing. */
  tick(nowMs: number): void
  /** Ends the stream after pending data is sent. A client that does not read the data is disconnected soon. */
  end(): void
  /** Closes the connection at once. */
  cut(): void
}

/** @param onRoom called when a full buffer has room again */
export function createFollower(following: Following, nowMs: number, onRoom: (follower: Follower) => void): Follower {
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
    isOver: () => isEnding || body.destroyed,
    hasRoom: () => !isFull,
    send: (event, frame) => {
      follower.cursor = event.at
      push(frame)
    },
    isFor: (event) =>
      !follower.isOver() &&
      (following.type === undefined || following.type === event.type) &&
      comparePositions(event.at, follower.cursor) > 0,
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
  push(openingFrame())
  return follower
}
