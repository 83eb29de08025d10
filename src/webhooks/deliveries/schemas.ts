import { type Static, Type } from 'typebox'
import { PageQuery, pageOf } from '../../platform/http/pagination.ts'
import type { Attempt } from './attempt.ts'
import { headersOf } from './message.ts'
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from './store.ts'

const closed = { additionalProperties: false } as const

const Timestamp = Type.String({ format: 'date-time' })
const Headers = Type.Record(Type.String(), Type.String())

const AttemptBody = Type.Object(
  {
    at: Timestamp,
    durationMs: Type.Integer(),
    status: Type.Optional(Type.Integer({ description: 'What was answered.' })),
    error: Type.Optional(
      Type.String({
        description:
          'Why nothing was answered: `timeout`, `refused_target`, `dns`, `connection`, `tls`, `bad_answer`; `event_expired`, `not_permitted` and `secret_unreadable` where nothing was sent.',
      }),
    ),
    detail: Type.Optional(Type.String({ description: 'The error in words.' })),
    responseHeaders: Type.Optional(Headers),
    responseBody: Type.Optional(
      Type.String({
        description: 'Its first 1024 bytes; left out, as the headers, where the event may not be seen or was erased.',
      }),
    ),
  },
  closed,
)

const RequestBody = Type.Object(
  {
    url: Type.String({ description: 'Values of its query are left out.' }),
    headers: Headers,
    body: Type.Optional(
      Type.String({ description: 'As it was sent. In lists, bodies of more than 16 KiB are left out.' }),
    ),
  },
  { ...closed, description: 'The last request, without what would let others sign as this service does.' },
)

export const DeliveryBody = Type.Object(
  {
    id: Type.String(),
    eventId: Type.String({ description: 'The same as `webhook-id` of its requests.' }),
    eventType: Type.String(),
    status: Type.Unsafe<DeliveryStatus>({ type: 'string', enum: [...DELIVERY_STATUSES] }),
    attempts: Type.Array(AttemptBody, { description: 'The last ones, oldest first.' }),
    request: Type.Optional(RequestBody),
    nextAttemptAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Of a pending delivery that has failed before.' }),
    ),
    createdAt: Timestamp,
  },
  { ...closed, title: 'WebhookDelivery' },
)
export type DeliveryBody = Static<typeof DeliveryBody>

export const DeliveryPage = pageOf(DeliveryBody)

export const DeliveryParams = Type.Object({ endpointId: Type.String(), deliveryId: Type.String() }, closed)

export const DeliveryQuery = Type.Object(
  {
    ...PageQuery.properties,
    status: Type.Optional(
      Type.Unsafe<DeliveryStatus>({ type: 'string', enum: [...DELIVERY_STATUSES], description: 'Only these.' }),
    ),
  },
  closed,
)

export const ReplayRequest = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'Events from this moment on.' }),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Up to this moment; left out: up to now.' })),
  },
  closed,
)

export const ReplayAnswer = Type.Object({ count: Type.Integer({ description: 'New deliveries.' }) }, closed)

/** The delivery as the API shows it. */
export function toDeliveryBody(delivery: Delivery): DeliveryBody {
  const { id, eventId, eventType, status, nextAttemptAt, createdAt } = delivery
  const attempts = delivery.isShown ? delivery.attempts : withoutAnswers(delivery.attempts)
  const last = attempts.at(-1)
  return {
    ...{ id, eventId, eventType, status },
    attempts: attempts.map(({ url: _, ...attempt }) => attempt),
    ...(last === undefined ? {} : { request: requestOf(delivery, last) }),
    ...(nextAttemptAt === null ? {} : { nextAttemptAt: nextAttemptAt.toISOString() }),
    createdAt: createdAt.toISOString(),
  }
}

/** The same without events. */
export function toBriefDeliveryBody(delivery: Delivery): DeliveryBody {
  return toDeliveryBody({ ...delivery, isShown: false, body: undefined })
}

/** What a receiver answers may be the event. */
function withoutAnswers(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map(({ responseBody: _, responseHeaders: __, ...attempt }) => attempt)
}

function requestOf({ eventId, body }: Delivery, { at, url }: Attempt): Static<typeof RequestBody> {
  const headers = headersOf({ eventId, at: new Date(at) }, 'v1,***')
  return { url, headers, ...(body === undefined ? {} : { body }) }
}
