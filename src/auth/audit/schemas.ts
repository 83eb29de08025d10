import { type Static, Type } from 'typebox'
import { PageQuery } from '../../platform/http/pagination.ts'
import { Closed, Timestamp } from '../schemas.ts'
import { SECURITY_EVENT_TYPES } from './events.ts'
import type { RecordedEvent } from './store.ts'

const EventType = Type.Union(
  SECURITY_EVENT_TYPES.map((type) => Type.Literal(type)),
  { description: 'What happened.' },
)
const Result = Type.Union([Type.Literal('success'), Type.Literal('failure')])
const OrNull = Type.Union([Type.String(), Type.Null()])

export const OwnEventsQuery = Type.Object({ ...PageQuery.properties, type: Type.Optional(EventType) }, Closed)

export const AllEventsQuery = Type.Object(
  {
    ...PageQuery.properties,
    userId: Type.Optional(Type.String({ maxLength: 64, description: 'Whose account.' })),
    type: Type.Optional(EventType),
    result: Type.Optional(Result),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'From this moment on.' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Before this moment.' })),
  },
  Closed,
)
export type AllEventsQuery = Static<typeof AllEventsQuery>

const eventMembers = {
  id: Type.String(),
  type: Type.String({
    description: 'What happened, such as `sign_in` or `password_changed`. More kinds may be added.',
  }),
  result: Result,
  createdAt: Timestamp,
  method: Type.Union([Type.String(), Type.Null()], {
    description: 'By which means: `password`, `totp`, `google` and the like.',
  }),
  sessionId: Type.Union([Type.String(), Type.Null()], { description: 'The session in which it was done.' }),
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
      'Who did it: you, an administrator, whoever operates the service (at its command line), the service itself, ' +
      'or somebody who did not prove who they are.',
  },
)

/** An event as the owner of the account sees it: of other people no more than that there was one. */
export const OwnEventBody = Type.Object({ ...eventMembers, actor: Actor }, Closed)
export type OwnEventBody = Static<typeof OwnEventBody>

/** An event as administrators see it. */
export const EventBody = Type.Object(
  {
    ...eventMembers,
    userId: Type.Union([Type.String(), Type.Null()], { description: 'Whose account; null where none is known.' }),
    actor: Type.Union([Type.String(), Type.Null()], {
      description:
        'Who did it: the id of a user, `operator` (at the command line), `system`, or null for somebody who did not ' +
        'prove who they are.',
    }),
  },
  Closed,
)
export type EventBody = Static<typeof EventBody>

export function toOwnEventBody(event: RecordedEvent): OwnEventBody {
  const actor = actorSeenBy(event)
  const body = { ...toMembers(event), actor }
  // The session, IP address and program of an administrator are not the user's business.
  return actor === 'administrator' ? { ...body, sessionId: null, ipAddress: null, userAgent: null } : body
}

export function toEventBody(event: RecordedEvent): EventBody {
  return { ...toMembers(event), userId: event.userId, actor: event.actor }
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
