import { Type } from 'typebox'
import { pageOf } from '../platform/http/responses/pagination.ts'

const closed = { additionalProperties: false } as const

/** Returns the schemas of events. @param types all event types that the features declare */
export function eventSchemas(types: readonly string[]) {
  const eventType = (description: string) =>
    Type.Unsafe<string>({ title: 'EventType', type: 'string', enum: [...types], description })

  const EventBody = Type.Object(
    {
      id: Type.String(),
      type: eventType('One event.'),
      createdAt: Type.String({ format: 'date-time' }),
      sequence: Type.Integer({ description: 'Counts the events of one subject, from 1 and without gaps.' }),
      subject: Type.String({
        description:
          'Id of the record that changed. For `order.*`, `payment.*`, `shipment.*` and `design.files_*` this is the order.',
      }),
      data: Type.Unsafe<object>({
        type: 'object',
        description: 'The whole record after the change, as its owner sees it.',
      }),
    },
    { ...closed, title: 'Event' },
  )

  const EventListQuery = Type.Object(
    {
      after: Type.Optional(
        Type.String({ maxLength: 64, description: 'Id of the last event read. Default: read from the oldest event.' }),
      ),
      type: Type.Optional(eventType('Only events of this type.')),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    },
    closed,
  )

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
  return { EventPage: pageOf(EventBody), EventListQuery, EventStreamQuery }
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
