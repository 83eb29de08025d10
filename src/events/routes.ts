import { requireScope } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { principalOf } from '../platform/http/principal.ts'
import type { App } from '../platform/http/server.ts'
import { eventProblems } from './problems.ts'
import { EventListQuery, EventPage, toEventBody } from './schemas.ts'
import { type EventPosition, findEventPosition, listEvents } from './store.ts'

/** Reading what happened, in the order it happened. */
export function eventRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/events',
    {
      onRequest: requireScope('events:read'),
      schema: {
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'What happened, oldest first',
        description:
          "A customer's own events; operators see everybody's. Read on with `after`, the id of the last event you have: nothing is skipped. `nextCursor` is that id while there is more to read at once, else null.",
        querystring: EventListQuery,
        response: { 200: EventPage },
      },
    },
    async (request) => {
      const { after, type, limit } = request.query
      const { role, userId } = principalOf(request)
      const ownerId = role === 'customer' ? userId : undefined
      const position = after === undefined ? undefined : await requirePosition(db, { id: after, ownerId })
      const events = await listEvents(db, { ownerId, type, after: position, limit })
      const data = events.slice(0, limit).map(toEventBody)
      return { data, nextCursor: events.length > limit ? (data.at(-1)?.id ?? null) : null }
    },
  )
}

async function requirePosition(db: Db, key: { id: string; ownerId: string | undefined }): Promise<EventPosition> {
  const position = await findEventPosition(db, key)
  if (position !== undefined) return position
  throw eventProblems.event_not_found({
    errors: [{ code: 'event_not_found', parameter: 'after', detail: 'You have no event with this id.' }],
  })
}
