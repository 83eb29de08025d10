import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Principal } from '../../platform/http/principal.ts'
import type { HttpRequest } from '../../platform/http/request.ts'
import { comparePositions, type Event, type EventPosition, type EventType } from '../../platform/outbox/index.ts'
import { HEARTBEAT, openingFrame } from './frames.ts'

/** What may wait for a client here, besides one event and what the system holds for its connection. */
const BUFFER_BYTES = 16 * 1024

/** Events are handed on in pieces, so that a slow client can be told from one that takes nothing. */
const PIECE_BYTES = 16 * 1024

const HEARTBEAT_EVERY_MS = 15_000

/** A client that takes nothing for so long is gone, or as good as that. */
const STALLED_AFTER_MS = 30_000

/** What was sent before the end gets so long to leave. */
const END_WITHIN_MS = 300

export interface Following {
  request: HttpRequest
  response: ServerResponse
  /** Who asked, at the beginning. */
  principal: Principal
  /** Whose events; undefined for everybody's. */
  ownerId: string | undefined
  type: EventType | undefined
  /** It is sent what comes after this. */
  after: EventPosition
}

/** One open stream: who follows, how far they are, and whether there is room to send more. */
export interface Follower extends Following {
  body: Readable
  /** All that it is to see up to here was sent. */
  cursor: EventPosition
  /** Is given events as they become readable; otherwise it is behind, and reads by itself. */
  isLive: boolean
  isReading: boolean
  isOver(): boolean
  hasRoom(): boolean
  /** Sends an event and moves the cursor. Only to be called while there is room. */
  send(event: Event, frame: Buffer): void
  /** Whether an event is one it is to see, and has not seen. */
  isFor(event: Event): boolean
  /** Looks after time: heartbeats, and clients that take nothing. */
  tick(nowMs: number): void
  /** Ends the stream in good order; at once where the client does not take what is left. */
  end(): void
  /** Cuts the connection. */
  cut(): void
}

/** @param onRoom called when there is room again after there was none */
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
