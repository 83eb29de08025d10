import { randomInt } from 'node:crypto'
import { type Event, eventJson } from '../../platform/outbox/index.ts'

/** Heartbeat of the stream: a comment, which clients ignore. */
export const HEARTBEAT = Buffer.from(':\n\n')

/** Delay before a client reconnects. It is random, because a restart ends the streams of all clients at once. */
export function openingFrame(): Buffer {
  return Buffer.from(`retry: ${randomInt(1_000, 4_000)}\n\n`)
}

/** One event as `text/event-stream` of the HTML standard, 9.2. JSON on one line has no line breaks. */
export function eventFrame(event: Event): Buffer {
  return Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`)
}
