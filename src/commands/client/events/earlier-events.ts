import { readAll } from '../requests/all-pages.ts'
import type { Connection } from '../requests/connection.ts'
import type { ReceivedEvent } from './received-event.ts'

/**
 * Yields the events since a time, in their order, and then returns the id of the last event of all, behind which the
 * stream continues. Without any event it returns undefined.
 *
 * @param signal aborts the reading, which throws
 */
export async function* readEarlier(
  connection: Connection,
  since: Date,
  signal: AbortSignal,
): AsyncGenerator<ReceivedEvent, string | undefined> {
  let lastId: string | undefined
  for await (const event of readAll<Omit<ReceivedEvent, 'json'>>(connection, '/events', { signal })) {
    // The service stores events as compact JSON, so this is the text that a webhook has.
    if (Date.parse(event.createdAt) >= since.getTime()) yield { ...event, json: JSON.stringify(event) }
    lastId = event.id
  }
  return lastId
}
