import { type Static, Type } from 'typebox'
import { PageQuery } from '../../platform/http/responses/pagination.ts'
import { Closed, Timestamp } from '../schemas.ts'
import { SECURITY_EVENT_TYPES } from './events.ts'
import type { AccountNames } from './find-names.ts'
import type { RecordedEvent } from './store.ts'

const EventType = Type.Union(
  SECURITY_EVENT_TYPES.map((type) => Type.Literal(type)),
  { title: 'SecurityEventType', description: 'One security event.' },
)
const Result = Type.Union([Type.Literal('success'), Type.Literal('failure')])
const OrNull = Type.Union([Type.String(), Type.Null()])

export const OwnEventsQuery = Type.Object({ ...PageQuery.properties, type: Type.Optional(EventType) }, Closed)

export const AllEventsQuery = Type.Object(
  {
    ...PageQuery.properties,
    userId: Type.Optional(Type.String({ maxLength: 64, description: 'Only events of this account.' })),
    type: Type.Optional(EventType),
    result: Type.Optional(Result),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Only events at this time or later.' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only events before this time.' })),
  },
  Closed,
)
export type AllEventsQuery = Static<typeof AllEventsQuery>

const eventMembers = {
  id: Type.String(),
  type: Type.String({
    description: 'Type of the event, such as `sign_in` or `password_changed`. Later versions may add types.',
  }),
  result: Result,
  createdAt: Timestamp,
  method: Type.Union([Type.String(), Type.Null()], {
    description: 'Method of authentication, such as `password`, `totp` or `google`.',
  }),
  sessionId: Type.Union([Type.String(), Type.Null()], { description: 'Session of the event.' }),
  ipAddress: OrNull,
  userAgent: OrNull,
  details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
}

const Actor = Type.Union(
  [
    Type.Literal('you'),
    Type.Literal('administrator'),
    Type.Literal('operator'),
    Type.Literal('system'),
    Type.Literal('unknown'),
  ],
  {
    description:
      'Actor: the owner of the account, an administrator, an operator at the command line, the service itself, or ' +
      '`unknown` if the actor was not authenticated.',
  },
)

/** An event as its account's owner sees it. The actor is described only by its kind. */
export const OwnEventBody = Type.Object({ ...eventMembers, actor: Actor }, { ...Closed, title: 'OwnSecurityEvent' })
export type OwnEventBody = Static<typeof OwnEventBody>

export const EventBody = Type.Object(
  {
    ...eventMembers,
    userId: Type.Union([Type.String(), Type.Null()], { description: 'Account of the event; null if it is unknown.' }),
    actor: Type.Union([Type.String(), Type.Null()], {
      description:
        'Actor: the id of a user, `operator` (at the command line), `system`, or null if the actor was not ' +
        'authenticated.',
    }),
    userName: Type.Union([Type.String(), Type.Null()], {
      description:
        'What the account is known by: its email address, or for a customer without an account its name, email ' +
        'address, external id or id. Null for an erased account, and for callers without `users:read` and ' +
        '`customers:read`.',
    }),
    actorName: Type.Union([Type.String(), Type.Null()], {
      description: 'The same for the actor. Null for actors that are not users.',
    }),
  },
  { ...Closed, title: 'SecurityEvent' },
)
export type EventBody = Static<typeof EventBody>

export function toOwnEventBody(event: RecordedEvent): OwnEventBody {
  const actor = actorSeenBy(event)
  const body = { ...toMembers(event), actor }
  // The session, IP address and user agent of an administrator are not shown to the user.
  return actor === 'administrator' ? { ...body, sessionId: null, ipAddress: null, userAgent: null } : body
}

export function toEventBody(event: RecordedEvent, names: AccountNames): EventBody {
  const { userId, actor } = event
  const nameOf = (id: string | null) => names.get(id ?? '') ?? null
  return { ...toMembers(event), userId, actor, userName: nameOf(userId), actorName: nameOf(actor) }
}

function toMembers(event: RecordedEvent) {
  const { ipAddress = null, userAgent = null } = JSON.parse(event.personal ?? '{}') as Partial<Record<string, string>>
  return {
    id: event.id,
    type: event.type,
    result: event.result === 'failure' ? ('failure' as const) : ('success' as const),
    createdAt: event.recordedAt.toISOString(),
    method: event.method,
    sessionId: event.sessionId,
    ipAddress,
    userAgent,
    details: event.details,
  }
}

function actorSeenBy({ userId, actor }: RecordedEvent): OwnEventBody['actor'] {
  if (actor === null) return 'unknown'
  if (actor === userId) return 'you'
  return actor === 'system' || actor === 'operator' ? actor : 'administrator'
}
