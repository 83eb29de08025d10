import type { AccountData } from '../auth/index.ts'
import { eachRow } from '../platform/db/each-row.ts'
import { toEventBody } from './schemas.ts'
import { type Event, findEventPosition, listEvents } from './store.ts'

const PAGE = 50

/** A person's events. What they tell is erased by the features whose records they are about. */
export const eventAccountData: AccountData = {
  name: 'events',
  list: async function* (db, ownerId) {
    const events = eachRow<Event>(async (last) => {
      const after = last === undefined ? undefined : await findEventPosition(db, { id: last.id, ownerId })
      return listEvents(db, { ownerId, type: undefined, after, limit: PAGE })
    })
    for await (const event of events) yield toEventBody(event)
  },
  erase: async () => true,
}
