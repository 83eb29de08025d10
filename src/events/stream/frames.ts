import { randomInt } from 'node:crypto'
import { type Event, eventJson } from '../../platform/outbox/index.ts'

/** The heartbeat: a comment, which clients ignore. */
export const HEARTBEAT = Buffer.from(':\n\n')

/**
 * Returns the start of a stream, which tells the client how long to wait before it reconnects. The delay is random,
 * because a restart ends the streams of all clients at once.
 */
export function openingFrame(): Buffer {
  return Buffer.from(`retry: ${randomInt(1_000, 4_000)}\n\n`)
}

/**
 * Formats one event as `text/event-stream` (HTML standard, section 9.2). The JSON contains no line breaks, so one
 * `data` field is enough.
 */
export function eventFrame(event: Event): Buffer {
  return Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`)
}
