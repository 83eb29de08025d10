import { type Static, Type } from 'typebox'
import { PageQuery, pageOf } from '../../platform/http/responses/pagination.ts'
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
    status: Type.Optional(Type.Integer({ description: 'HTTP status of the response.' })),
    error: Type.Optional(
      Type.String({
        description:
          'Why there was no valid response: `timeout`, `refused_target`, `dns`, `connection`, `tls` or `bad_answer`. Why no request was sent: `event_expired`, `not_permitted` or `secret_unreadable`.',
      }),
    ),
    detail: Type.Optional(Type.String({ description: 'Description of the error.' })),
    responseHeaders: Type.Optional(Headers),
    responseBody: Type.Optional(
      Type.String({
        description:
          'First 1024 bytes of the response body. Omitted, like the headers, if the event was erased or may no longer be seen by the owner.',
      }),
    ),
  },
  { ...closed, title: 'WebhookAttempt' },
)

const RequestBody = Type.Object(
  {
    url: Type.String({ description: 'URL of the request, without the values of its query.' }),
    headers: Headers,
    body: Type.Optional(Type.String({ description: 'Body of the request. Lists omit bodies over 16 KiB.' })),
  },
  { ...closed, description: 'The latest request, without its signatures.' },
)

export const DeliveryBody = Type.Object(
  {
    id: Type.String(),
    eventId: Type.String({ description: 'Id of the event. Equal to `webhook-id` in every request, retry and replay.' }),
    eventType: Type.String(),
    status: Type.Unsafe<DeliveryStatus>({ type: 'string', enum: [...DELIVERY_STATUSES] }),
    attempts: Type.Array(AttemptBody, { description: 'The latest attempts, oldest first.' }),
    request: Type.Optional(RequestBody),
    nextAttemptAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Time of the next attempt. Omitted unless the delivery is pending and an attempt has failed.',
      }),
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
      Type.Unsafe<DeliveryStatus>({
        type: 'string',
        enum: [...DELIVERY_STATUSES],
        description: 'Only deliveries with this status.',
      }),
    ),
  },
  closed,
)

export const ReplayRequest = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'Start of the range by `createdAt`, included.' }),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'End of the range by `createdAt`, included. Default: now.' }),
    ),
  },
  closed,
)

export const ReplayAnswer = Type.Object({ count: Type.Integer({ description: 'Number of new deliveries.' }) }, closed)

export function toDeliveryBody(delivery: Delivery): DeliveryBody {
  const { id, eventId, eventType, status, nextAttemptAt, createdAt } = delivery
  const attempts = delivery.isShown ? delivery.attempts : withoutResponses(delivery.attempts)
  const last = attempts.at(-1)
  return {
    ...{ id, eventId, eventType, status },
    attempts: attempts.map(({ url: _, ...attempt }) => attempt),
    ...(last === undefined ? {} : { request: requestOf(delivery, last) }),
    ...(nextAttemptAt === null ? {} : { nextAttemptAt: nextAttemptAt.toISOString() }),
    createdAt: createdAt.toISOString(),
  }
}

export function toBriefDeliveryBody(delivery: Delivery): DeliveryBody {
  return toDeliveryBody({ ...delivery, isShown: false, body: undefined })
}

/** Adds the body of the event to a delivery that was presented without it. */
export function withEventBody(delivered: DeliveryBody, { body }: Delivery): DeliveryBody {
  if (delivered.request === undefined || body === undefined) return delivered
  return { ...delivered, request: { ...delivered.request, body } }
}

/**
 * Removes the responses from attempts. If the event must be hidden, its responses must be hidden, too, because a
 * receiver may return the event in them.
 */
function withoutResponses(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map(({ responseBody: _, responseHeaders: __, ...attempt }) => attempt)
}

function requestOf({ eventId, body }: Delivery, { at, url = '' }: Attempt): Static<typeof RequestBody> {
  const headers = headersOf({ eventId, at: new Date(at) }, 'v1,***')
  return { url, headers, ...(body === undefined ? {} : { body }) }
}
