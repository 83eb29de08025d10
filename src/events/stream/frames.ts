import { randomInt } from 'node:crypto'
import { type Event, eventJson } from '../../platform/outbox/index.ts'

/** The heartbeat: a comment, which clients ignore. */
export const HEARTBEAT = Buffer.from(':\n\n')

/**
 * Returns the start of a stream, which tells the client how long to wait before it reconnects. The delay is random,
 * because a restart ends the streams of all clients at once.
 *
 * @param lastEventId the event after which the stream starts. A client stores it as its last event id, so that it
 *   misses nothing if it reconnects before the first event. It is a frame without data, which causes no event in the
 *   client, before the frame with the delay, which every stream has
 */
export function openingFrame(lastEventId: string | undefined): Buffer {
  const id = lastEventId === undefined ? '' : `id: ${lastEventId}\n\n`
  return Buffer.from(`${id}retry: ${randomInt(1_000, 4_000)}\n\n`)
}

/**
 * Formats one event as `text/event-stream` (HTML standard, section 9.2). The JSON contains no line breaks, so one
 * `data` field is enough.
 */
export function eventFrame(event: Event): Buffer {
  return Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`)
}
