import { addSeconds, type Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { timeOfId } from '../platform/ids.ts'
import {
  EVENTS_KEPT_SECONDS,
  type EventPosition,
  findEventPosition,
  isEventId,
  readEvents,
} from '../platform/outbox/index.ts'
import { eventProblems } from './problems.ts'
import type { VisibleEvents } from './visible-events.ts'

export interface ContinueAfter {
  /** The id of an event, as the client sent it. */
  id: string
  /** The events that the caller may see. */
  visible: VisibleEvents
  /** The query parameter or the header that contained the id. */
  place: { parameter: string } | { header: string }
}

/**
 * Finds the position of the event after which a reader continues.
 *
 * @throws `event_expired` if the event is older than the time for which events are retained; otherwise
 * `event_not_found`
 */
export async function requirePosition(
  { db, clock }: { db: Db; clock: Clock },
  { id, visible, place }: ContinueAfter,
): Promise<EventPosition> {
  const position = await findEventPosition(db, { id, ownerId: visible.ownerId })
  if (position !== undefined) return position
  if (isEventId(id) && timeOfId(id) < addSeconds(clock.now(), -EVENTS_KEPT_SECONDS)) {
    const { events } = await readEvents(db, { ...visible, limit: 1 })
    throw eventProblems.event_expired({
      members: { oldestEventId: events[0]?.id ?? null },
      errors: [{ code: 'event_expired', ...place, detail: 'Events of that time are no longer retained.' }],
    })
  }
  throw eventProblems.event_not_found({
    errors: [{ code: 'event_not_found', ...place, detail: 'No event of the caller has this id.' }],
  })
}
