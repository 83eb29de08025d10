import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type HeldCredential, requireScope, requireScopeOrTicket, TICKET_SECONDS, type Tickets } from '../auth/index.ts'
import type { Awaitable } from '../platform/awaitable.ts'
import type { Clock } from '../platform/clock.ts'
import { readPacedByCaller, readRecord } from '../platform/concurrency/paced-reads.ts'
import { noteSize } from '../platform/concurrency/request-context.ts'
import type { Db } from '../platform/db/index.ts'
import { type Principal, principalOf } from '../platform/http/core/principal.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import { EmptyBody } from '../platform/http/input/empty-body.ts'
import { readTimestamp } from '../platform/http/input/timestamps.ts'
import { invalidCursor, sendPageText } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import {
  eventJson,
  findEvent,
  findLastEventId,
  findReadableEnd,
  isEventId,
  readEvents,
  readEventsBackward,
} from '../platform/outbox/index.ts'
import type { Problem } from '../platform/problem.ts'
import { requirePosition } from './continue-after.ts'
import { eventProblems } from './problems.ts'
import { type EventGroup, EventStreamHeaders, eventSchemas, TicketBody } from './schemas.ts'
import type { EventStreams } from './stream/streams.ts'
import { visibleEvents } from './visible-events.ts'

export interface EventDeps {
  db: Db
  clock: Clock
  streams: EventStreams
  /** All event types that the features declare. */
  eventGroups: readonly EventGroup[]
  tickets: Tickets
  /** Determines the current caller of a request; undefined if its credential is no longer valid. */
  authenticate(request: FastifyRequest): Awaitable<Principal | undefined>
}

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Without this header, proxies would collect small pieces before passing them on.
  'X-Accel-Buffering': 'no',
  Connection: 'close',
}

export function eventRoutes(app: App, deps: EventDeps): void {
  const { EventBody, EventListQuery, EventPage, EventParams, EventStreamQuery } = eventSchemas(deps.eventGroups)
  const visibleTo = (caller: Principal) => visibleEvents(caller, deps.eventGroups)
  app.get(
    '/events',
    {
      onRequest: requireScope('events:read'),
      schema: {
        operationId: 'listEvents',
        problems: [eventProblems.event_not_found, eventProblems.event_expired],
        tags: ['Events'],
        summary: 'List events',
        description:
          'Oldest first, or newest first with `order=desc`. Customers see their own events, operators all events, except that the staff roles without `designs:read` see none of designs. Pages are read as in other lists: send `nextCursor` as `cursor` until it is null. To continue later, send `after` with the id of the last event that you have read: no event is skipped. Events are retained for 30 days; an older id in `after` causes 400 `event_expired` with `oldestEventId`.',
        querystring: EventListQuery,
        response: { 200: EventPage },
      },
    },
    async (request, reply) => {
      const { type, subject, order, limit } = request.query
      const visible = visibleTo(principalOf(request))
      const from = readTimestamp(request.query.from, 'from')
      const to = readTimestamp(request.query.to, 'to')
      const begin = beginningOfPage(request.query)
      const at = begin === undefined ? undefined : await requirePosition(deps, { ...begin, visible })
      const reading = { ...visible, type, subject, from, to, limit: limit + 1 }
      const { events, isFull } = await readPacedByCaller(async () => {
        const page = await (order === 'desc'
          ? readEventsBackward(deps.db, { ...reading, before: at })
          : readEvents(deps.db, { ...reading, after: at }))
        const sizes = page.events.map(({ dataJson }) => Buffer.byteLength(dataJson))
        noteSize(
          Math.max(0, ...sizes),
          sizes.reduce((sum, size) => sum + size, 0),
        )
        return page
      })
      const shown = events.slice(0, limit)
      const nextCursor = isFull ? (shown.at(-1)?.id ?? null) : null
      return sendPageText(reply, shown.map(eventJson), nextCursor)
    },
  )

  app.get(
    '/events/:eventId',
    {
      onRequest: requireScope('events:read'),
      schema: {
        operationId: 'getEvent',
        problems: [eventProblems.no_such_event],
        tags: ['Events'],
        summary: 'Get an event',
        description:
          'Customers see their own events, operators all events, except that the staff roles without `designs:read` see none of designs. Events are retained for 30 days.',
        params: EventParams,
        response: { 200: EventBody },
      },
    },
    async (request, reply) => {
      const json = await readRecord(async () => {
        const event = await findEvent(deps.db, { id: request.params.eventId, ...visibleTo(principalOf(request)) })
        if (event === undefined) throw eventProblems.no_such_event()
        noteSize(Buffer.byteLength(event.dataJson))
        return eventJson(event)
      })
      return sendJson(reply, json)
    },
  )

  app.post(
    '/events/tickets',
    {
      onRequest: requireScope('events:read'),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'createEventStreamTicket',
        tags: ['Events'],
        summary: 'Create a ticket for an event stream',
        description:
          'A ticket opens `GET /events/stream?ticket=` once within 60 seconds, without an `Authorization` header. It stands for the session or API key of the request; guests and customer tokens get 403 `session_required`, and open the stream with `Authorization`. `EventSource` reconnects with the same URL, so open the stream again with a new ticket and `after` when it ends. `Idempotency-Key` has no effect: every request makes a new ticket.',
        body: EmptyBody,
        response: { 201: TicketBody },
      },
    },
    async (request, reply) =>
      reply.code(201).send({ ticket: await deps.tickets.issue(request), expiresIn: TICKET_SECONDS }),
  )

  app.get(
    '/events/stream',
    {
      onRequest: requireScopeOrTicket('events:read'),
      config: { staysOpen: true },
      schema: {
        operationId: 'streamEvents',
        problems: [eventProblems.event_not_found, eventProblems.event_expired],
        tags: ['Events'],
        summary: 'Stream events',
        description:
          'Server-sent events of the HTML standard: `id` is the id of an event, `event` its type, `data` the event as JSON, in the order of `GET /events`. The stream starts after `Last-Event-ID`, which `EventSource` sends by itself, or after `?after=`; without both it starts with the next event, and a first frame without data states the id of the event before, if there is one. Reconnecting with the last id neither repeats nor skips events. Browsers, whose `EventSource` sends no header, open the stream with a ticket of `POST /events/tickets`; a used, expired or malformed one is 401 `invalid_ticket`. The stream ends with the access token (with a ticket: with the session or API key that made it), within a second of a revocation or a change of role, when the service stops, and when the client has read nothing for 30 seconds. A comment every 15 seconds keeps the connection open. By default an account may have 10 streams, all customers without a paid order of one network together 100 (429 `too_many_event_streams`), and a process 2 000 (503 `event_streams_full`).',
        querystring: EventStreamQuery,
        headers: EventStreamHeaders,
        response: { 200: { description: 'The stream.', content: { 'text/event-stream': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { principal, check: authenticate } = await credentialOf(deps, request, request.query.ticket)
      const visible = visibleTo(principal)
      const { type } = request.query
      const begin = beginningOf(request.headers['last-event-id'], request.query.after)
      // The position is determined before the response starts. Therefore the stream contains every event that is
      // committed after the client has received the start of the response.
      const after =
        begin === undefined ? await findReadableEnd(deps.db) : await requirePosition(deps, { ...begin, visible })
      const isHead = request.method === 'HEAD'
      const lastEventId =
        begin === undefined ? await findLastEventId(deps.db, { ownerId: visible.ownerId, upTo: after }) : undefined
      const following = { authenticate, response: reply.raw, principal, visible, type, after, lastEventId }
      return sendEvents(reply, isHead ? '' : await deps.streams.open(following))
    },
  )
}

/**
 * Determines the caller of a stream, by its ticket or its `Authorization` header.
 *
 * @throws `invalid_ticket`
 */
async function credentialOf(
  { tickets, authenticate }: EventDeps,
  request: FastifyRequest,
  ticket: string | undefined,
): Promise<HeldCredential> {
  if (ticket === undefined) return { principal: principalOf(request), check: async () => authenticate(request) }
  const held = await tickets.redeem(ticket)
  if (held !== undefined) return held
  throw eventProblems.invalid_ticket({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
}

function sendEvents(reply: FastifyReply, body: Readable | ''): FastifyReply {
  return reply.headers(STREAM_HEADERS).send(body)
}

/** Sends JSON text as it is. Parsing and serializing a large record again would block all other requests. */
function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}

/**
 * Returns where a page starts. A client that follows `nextCursor` still sends the `after` of its first request.
 *
 * @throws `invalid_cursor`; `validation_failed` for `after` of a list that goes backward
 */
function beginningOfPage({ cursor, after, order }: { cursor?: string; after?: string; order?: 'asc' | 'desc' }) {
  if (order === 'desc' && after !== undefined) throw forwardOnly()
  if (cursor === undefined) return after === undefined ? undefined : { id: after, place: { parameter: 'after' } }
  if (!isEventId(cursor)) throw invalidCursor()
  return { id: cursor, place: { parameter: 'cursor' } }
}

function forwardOnly(): Problem {
  const detail = 'A list that begins with the newest event does not go on after an event. Send `cursor`.'
  return httpProblems.validation_failed({
    detail: 'The query does not match its schema.',
    errors: [{ code: 'not_allowed', parameter: 'after', detail }],
  })
}

/**
 * Returns where a stream starts. `Last-Event-ID`, which a reconnecting client sends, takes precedence over `after`,
 * which the URL still contains from the first request.
 */
function beginningOf(lastEventId: unknown, after: string | undefined) {
  if (typeof lastEventId === 'string' && lastEventId !== '') {
    return { id: lastEventId, place: { header: 'Last-Event-ID' } }
  }
  return after === undefined ? undefined : { id: after, place: { parameter: 'after' } }
}
