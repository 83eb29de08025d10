import { type Static, type TSchema, Type } from 'typebox'
import { LINE_CHARACTER } from '../../platform/http/input/text.ts'
import { pageOf } from '../../platform/http/responses/pagination.ts'
import { type DisabledReason, type Endpoint, MOST_COUNTED } from './store.ts'

const closed = { additionalProperties: false } as const
const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const DAY_SECONDS = 24 * 3600

const Url = Type.String({
  minLength: 8,
  maxLength: 2048,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\p{Cc}\\p{Cf}]+$',
  description: 'URL to which events are posted. A redirect counts as a failure.',
})

const Description = Type.String({ maxLength: 500, pattern: `^${LINE_CHARACTER}*$` })

/** Returns the schemas of the request bodies. @param eventTypes all event types, as the features declare them */
export function endpointBodies(eventTypes: readonly string[]) {
  const Types = Type.Array(Type.Unsafe<string>({ title: 'EventType', type: 'string', enum: [...eventTypes] }), {
    minItems: 1,
    maxItems: eventTypes.length,
    uniqueItems: true,
  })

  const NewEndpointBody = Type.Object(
    {
      url: Url,
      types: Type.Optional(
        Type.Union([Types, Type.Null()], {
          description: 'Event types to deliver. Null or omitted: all types, including types that later versions add.',
        }),
      ),
      description: Type.Optional(OrNull(Description)),
    },
    closed,
  )

  const EndpointChangeBody = Type.Object(
    {
      url: Type.Optional(Url),
      types: Type.Optional(OrNull(Types)),
      description: Type.Optional(OrNull(Description)),
      status: Type.Optional(
        Type.Union([Type.Literal('enabled'), Type.Literal('disabled')], {
          description:
            'Events that happen while the endpoint is `disabled` are not delivered later, except by a replay.',
        }),
      ),
    },
    { ...closed, minProperties: 1 },
  )

  return { NewEndpointBody, EndpointChangeBody }
}
type EndpointBodies = ReturnType<typeof endpointBodies>
export type NewEndpointBody = Static<EndpointBodies['NewEndpointBody']>
export type EndpointChangeBody = Static<EndpointBodies['EndpointChangeBody']>

/** The body may be omitted. */
export const RotateSecretBody = Type.Unsafe<{ overlapSeconds?: number } | null>({
  ...Type.Object(
    {
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description: `Seconds for which requests are also signed with the secret that was current before. Default: ${DAY_SECONDS}.`,
        }),
      ),
    },
    closed,
  ),
  type: ['object', 'null'],
})

export const EndpointParams = Type.Object({ endpointId: Type.String() }, closed)

const endpointMembers = {
  id: Type.String(),
  url: Type.String(),
  types: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'Null means all types.' }),
  description: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
  disabledReason: Type.Optional(
    Type.Unsafe<DisabledReason>({
      type: 'string',
      enum: ['by_owner', 'gone', 'failing'],
      description:
        '`by_owner`: the owner disabled the endpoint. `gone`: the endpoint responded with 410. `failing`: all requests have failed since the first attempt of a delivery that has no retries left, or for five days. For `gone` and `failing`, the owner gets a mail.',
    }),
  ),
  disabledAt: Type.Optional(Type.String({ format: 'date-time' })),
  failingSince: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Since then, all requests to the endpoint have failed. While they fail, at most 50 deliveries wait; those of later events follow as soon as the endpoint works. Absent if the last request succeeded.',
    }),
  ),
  previousSecretEndsAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'After a rotation of the secret, the end of the overlap. Until then, requests are also signed with the secret that was current before. Absent outside of an overlap.',
    }),
  ),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
}

export const EndpointBody = Type.Object(
  {
    ...endpointMembers,
    failedDeliveries: Type.Optional(
      Type.Integer({
        description: `Number of deliveries with the status \`failed\`, of which at most ${MOST_COUNTED} are counted. Only the operations that read endpoints return it.`,
      }),
    ),
  },
  { ...closed, title: 'WebhookEndpoint' },
)
export type EndpointBody = Static<typeof EndpointBody>

const Secret = Type.Union([Type.String(), Type.Null()], {
  description: 'Signing secret (Standard Webhooks). Shown only in this response.',
})

export const NewEndpointAnswer = Type.Object(
  { ...endpointMembers, secret: Secret },
  { ...closed, title: 'NewWebhookEndpoint' },
)
export type NewEndpointAnswer = Static<typeof NewEndpointAnswer>

export const SecretAnswer = Type.Object({ secret: Secret }, closed)

export const EndpointPage = pageOf(EndpointBody)

export function toEndpointBody(endpoint: Endpoint, now: Date): EndpointBody {
  const { id, url, types, description, status, disabledReason, disabledAt, createdAt, updatedAt } = endpoint
  const { failingSince, previousSecretUntil: until } = endpoint
  return {
    ...{ id, url, types, description, status },
    ...(disabledReason === null ? {} : { disabledReason }),
    ...(disabledAt === null ? {} : { disabledAt: disabledAt.toISOString() }),
    ...(failingSince === null ? {} : { failingSince: failingSince.toISOString() }),
    ...(until === null || until <= now ? {} : { previousSecretEndsAt: until.toISOString() }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
