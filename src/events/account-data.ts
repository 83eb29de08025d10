import type { AccountData } from '../auth/index.ts'
import { eachRow } from '../platform/db/each-row.ts'
import { type Event, eventJson, readEvents } from '../platform/outbox/index.ts'

const PAGE = 50

/** A person's events. What they tell is erased by the features whose records they are about. */
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
}
