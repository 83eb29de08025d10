import type { Db } from '../../platform/db/index.ts'
import type { Replica } from '../../platform/db/reading/replica.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { readTimestamp } from '../../platform/http/input/timestamps.ts'
import { pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { hasPermission, requireRole, requireSession } from '../http/guards.ts'
import { findNamesOf } from './find-names.ts'
import { AllEventsQuery, EventBody, OwnEventBody, OwnEventsQuery, toEventBody, toOwnEventBody } from './schemas.ts'
import { type EventFilter, listSecurityEvents } from './store.ts'

export function securityEventRoutes(app: App, { db, replica }: { db: Db; replica: Replica }): void {
  app.get(
    '/me/security-events',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'listMySecurityEvents',
        tags: ['Account'],
        summary: 'List the security events of the account',
        description:
          'Newest first: sign-ins, changes of credentials, exports, and acts of administrators on this account.',
        querystring: OwnEventsQuery,
        response: { 200: pageOf(OwnEventBody) },
      },
    },
    async (request) => {
      const { userId } = principalOf(request)
      const { query } = request
      const events = await listSecurityEvents(db, { userId, type: query.type }, query, readCursor(query))
      return toPage(events, query, toOwnEventBody)
    },
  )

  app.get(
    '/security-events',
    {
      onRequest: requireRole('admin', 'audit:read'),
      schema: {
        operationId: 'listSecurityEvents',
        tags: ['Users'],
        summary: 'List the security events of all accounts',
        description:
          'For administrators. Newest first. The events form a chain of digests, which `platen audit verify` checks.',
        querystring: AllEventsQuery,
        response: { 200: pageOf(EventBody) },
      },
    },
    async (request) => {
      const { query } = request
      const mayReadNames = hasPermission(request, 'users:read') && hasPermission(request, 'customers:read')
      const { events, names } = await replica.read(async (from) => {
        const events = await listSecurityEvents(from, filterOf(query), query, readCursor(query))
        return { events, names: await findNamesOf(from, mayReadNames ? events : []) }
      })
      return toPage(events, query, (event) => toEventBody(event, names))
    },
  )
}

/** Reads the filter of the query string. @throws `validation_failed` */
function filterOf({ userId, type, result, from, to }: AllEventsQuery): EventFilter {
  return { userId, type, result, from: readTimestamp(from, 'from'), to: readTimestamp(to, 'to') }
}
