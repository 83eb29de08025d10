import type { AccountData } from '../auth/index.ts'
import { eachRow } from '../platform/db/reading/each-row.ts'
import { type Event, eventJson, moveSomeEvents, readEvents } from '../platform/outbox/index.ts'

const PAGE = 50

/**
 * Exports the events of an account. This feature erases nothing itself: each feature erases the data of its own records
 * from the events.
 */
export const eventAccountData: AccountData = {
  name: 'events',
  list: async function* (db, ownerId) {
    const events = eachRow<Event>(async (last) => {
      const { events } = await readEvents(db, { ownerId, after: last?.at, limit: PAGE })
      return events
    })
    for await (const event of events) yield eventJson(event)
  },
  erase: async () => true,
  move: moveSomeEvents,
  moveMore: moveSomeEvents,
}
