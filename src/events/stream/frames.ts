import { randomInt } from 'node:crypto'
import { type Event, eventJson } from '../../platform/outbox/index.ts'

/** Says that the stream is alive. A comment, which clients pass over. */
export const HEARTBEAT = Buffer.from(':\n\n')

/** When to come back after the end. Not all clients at the same moment, since a restart ends all their streams. */
export function openingFrame(): Buffer {
  return Buffer.from(`retry: ${randomInt(1_000, 4_000)}\n\n`)
}

/** One event as `text/event-stream` of the HTML standard, 9.2. JSON on one line has no line breaks. */
export function eventFrame(event: Event): Buffer {
  return Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`)
}
