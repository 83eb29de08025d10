import { type TSchema, Type } from 'typebox'
import type { Permission } from '../auth/index.ts'
import { DOCUMENTED_AS } from '../platform/http/operations/document/unions.ts'
import { pageOf } from '../platform/http/responses/pagination.ts'

const closed = { additionalProperties: false } as const

/** Event types of a feature, with the name of the schema of their `data`. */
export interface EventGroup {
  types: readonly string[]
  record: string
  /** What a reader needs to see the records themselves. Events contain them, so they are hidden from other staff. */
  permission: Permission
}

const ERASED_RECORD = {
  title: 'ErasedRecord',
  description: 'The data of an event whose record was erased.',
  ...Type.Object({ id: Type.String(), erased: Type.Literal(true) }, closed),
}

/** Describes the events of a group for the document, in which schemas refer to each other. */
function documentedEvent({ types, record }: EventGroup, members: Record<string, TSchema>) {
  const properties = {
    ...members,
    type: { type: 'string', enum: [...types] },
    data: { oneOf: [{ $ref: `#/components/schemas/${record}` }, ERASED_RECORD] },
  }
  return { title: `${record}Event`, type: 'object', required: Object.keys(properties), properties, ...closed }
}

/** Returns the schemas of events. @param groups all event types that the features declare */
export function eventSchemas(groups: readonly EventGroup[]) {
  const types = groups.flatMap((group) => group.types)
  const eventType = (description: string) =>
    Type.Unsafe<string>({ title: 'EventType', type: 'string', enum: [...types], description })

  const members = {
    id: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    sequence: Type.Integer({ description: 'Counts the events of one subject, from 1 and without gaps.' }),
    subject: Type.String({
      description:
        'Id of the record that changed. For `order.*`, `payment.*`, `shipment.*` and `design.files_*` this is the order.',
    }),
  }

  const EventBody = Type.Object(
    {
      ...members,
      type: eventType('One event.'),
      data: Type.Unsafe<object>({ type: 'object' }),
    },
    {
      ...closed,
      [DOCUMENTED_AS]: {
        title: 'Event',
        description: '`data` is the whole record after the change, as its owner sees it.',
        oneOf: groups.map((group) => documentedEvent(group, members)),
        discriminator: { propertyName: 'type' },
      },
    },
  )

  const EventListQuery = Type.Object(
    {
      after: Type.Optional(
        Type.String({ maxLength: 64, description: 'Id of the last event read. Default: read from the oldest event.' }),
      ),
      cursor: Type.Optional(
        Type.String({
          maxLength: 64,
          description: '`nextCursor` of the previous page, as in other lists. Replaces `after`.',
        }),
      ),
      order: Type.Optional(
        Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
          description: '`asc`, the default: oldest first. `desc`: newest first, without `after`.',
        }),
      ),
      type: Type.Optional(eventType('Only events of this type.')),
      subject: Type.Optional(
        Type.String({ maxLength: 64, description: 'Only events of this record, such as the id of an order.' }),
      ),
      from: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only events that were created at this time or later.' }),
      ),
      to: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only events that were created before this time.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    },
    closed,
  )

  const EventParams = Type.Object({ eventId: Type.String({ maxLength: 64 }) }, closed)

  const EventStreamQuery = Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'Id of the event to continue after, for the first request of a client. `Last-Event-ID` takes precedence. Without both the stream starts with the next event.',
        }),
      ),
      type: Type.Optional(eventType('Only events of this type.')),
      ticket: Type.Optional(
        Type.String({ description: 'A ticket of `POST /events/tickets` in place of the `Authorization` header.' }),
      ),
    },
    closed,
  )
  return { EventBody, EventPage: pageOf(EventBody), EventListQuery, EventParams, EventStreamQuery }
}

export const TicketBody = Type.Object(
  {
    ticket: Type.String({ description: 'Opens one stream. Treat it as a secret.' }),
    expiresIn: Type.Integer({ description: 'Seconds until the ticket expires.' }),
  },
  { ...closed, title: 'EventStreamTicket' },
)

/** Describes one header. Other headers are allowed and ignored. */
export const EventStreamHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({ maxLength: 64, description: 'Id of the last event received. The stream continues after it.' }),
  ),
})
