import { hasPermission, requireRole } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { Replica } from '../platform/db/reading/replica.ts'
import { readTimestamp } from '../platform/http/input/timestamps.ts'
import { invalidCursor, pageOf } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { requestLogProblems } from './problems.ts'
import { RequestBody, RequestListQuery, RequestParams, toEntryBody } from './schemas.ts'
import { type LogFilter, listEntries } from './store.ts'

const tags = ['System']

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Registers the routes of the request log, for operators and administrators. */
export function requestLogRoutes(app: App, { db, replica }: { db: Db; replica: Replica }): void {
  app.get(
    '/system/requests',
    {
      onRequest: requireRole('operator', 'webhooks:read'),
      schema: {
        operationId: 'listRequestLog',
        tags,
        summary: 'List requests',
        description:
          'For operators. Newest first: API requests of the last 7 days, without values of queries, headers and bodies. A request appears about a second after its response. Event streams are not listed. On days with very many requests some are missing, which the metric `platen_request_log_dropped_total` counts.',
        querystring: RequestListQuery,
        response: { 200: pageOf(RequestBody) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      const page = { limit, before: beforeOf(cursor) }
      const entries = await replica.read((from) => listEntries(from, filterOf(request.query), page))
      const shown = entries.slice(0, limit)
      const last = shown.at(-1)
      const showsNetwork = hasPermission(request, 'audit:read')
      return {
        data: shown.map((entry) => toEntryBody(entry, { showsNetwork })),
        nextCursor: entries.length > limit && last !== undefined ? String(last.id) : null,
      }
    },
  )

  app.get(
    '/system/requests/:requestId',
    {
      onRequest: requireRole('operator', 'webhooks:read'),
      schema: {
        operationId: 'getRequestLogEntry',
        problems: [requestLogProblems.request_not_found],
        tags,
        summary: 'Get a request',
        description:
          'For operators. Finds a request by the id in `X-Request-Id` of its response and in `requestId` of problems.',
        params: RequestParams,
        response: { 200: RequestBody },
      },
    },
    async (request) => {
      const { requestId } = request.params
      const [entry] = UUID.test(requestId) ? await listEntries(db, { requestId }, { limit: 1, before: undefined }) : []
      if (entry === undefined) throw requestLogProblems.request_not_found()
      return toEntryBody(entry, { showsNetwork: hasPermission(request, 'audit:read') })
    },
  )
}

/** Reads the filter of the query string. @throws `validation_failed` */
function filterOf({ requestId, status, route, userId, keyId, from, to }: RequestListQuery): LogFilter {
  return {
    ...{ requestId, route, userId, credentialId: keyId },
    status: status === undefined ? undefined : statusesOf(status),
    from: readTimestamp(from, 'from'),
    to: readTimestamp(to, 'to'),
  }
}

function statusesOf(status: string): readonly [number, number] {
  if (!status.endsWith('xx')) return [Number(status), Number(status)]
  const first = Number(status[0]) * 100
  return [first, first + 99]
}

/** @throws `invalid_cursor` */
function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw invalidCursor()
  return Number(cursor)
}
