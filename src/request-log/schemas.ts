import { type Static, Type } from 'typebox'
import { PageQuery } from '../platform/http/responses/pagination.ts'
import type { StoredEntry } from './store.ts'

const closed = { additionalProperties: false } as const
const OrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const RequestListQuery = Type.Object(
  {
    ...PageQuery.properties,
    requestId: Type.Optional(Type.String({ format: 'uuid', description: 'Only the request with this id.' })),
    status: Type.Optional(
      Type.String({
        pattern: '^[1-5]([0-9]{2}|xx)$',
        description: 'Only responses with this status, such as `404`, or of this class, such as `5xx`.',
      }),
    ),
    route: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only requests of this path, such as `/orders/{orderId}`.' }),
    ),
    userId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only requests of this account, or of this operator for a customer.' }),
    ),
    keyId: Type.Optional(Type.String({ maxLength: 64, description: 'Only requests with this API key.' })),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Only requests at this time or later.' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only requests before this time.' })),
  },
  closed,
)
export type RequestListQuery = Static<typeof RequestListQuery>

export const RequestParams = Type.Object({ requestId: Type.String({ maxLength: 64 }) }, closed)

const Caller = Type.Object(
  {
    kind: Type.String({ description: '`session`, `api_key`, `guest` or `customer_token`.' }),
    userId: OrNull('The account. Null after it was erased.'),
    actorId: OrNull('The operator who acted for the customer `userId`.'),
    credentialId: OrNull('The session or API key; for a customer token the customer.'),
  },
  closed,
)

export const RequestBody = Type.Object(
  {
    id: Type.String({ description: 'The request id, which every response and every problem states.' }),
    endedAt: Type.String({ format: 'date-time', description: 'When the response was sent.' }),
    method: Type.String(),
    route: OrNull('The path as this document writes it. Null if no operation has the URL.'),
    operationId: OrNull('The operation. Null if no operation has the URL.'),
    parameters: Type.Array(Type.String(), { description: 'Names of the query parameters that were sent.' }),
    status: Type.Integer(),
    problem: OrNull('`code` of the problem that the client got.'),
    durationMs: Type.Integer({ description: 'From the beginning of the request to the end of the response.' }),
    caller: Type.Union([Caller, Type.Null()], { description: 'Null for an anonymous caller.' }),
    network: OrNull(
      'IPv4 address, or IPv6 network, of the client. Null without the permission `audit:read`, and after the account was erased.',
    ),
  },
  { ...closed, title: 'RequestLogEntry' },
)
export type RequestBody = Static<typeof RequestBody>

export function toEntryBody(entry: StoredEntry, { showsNetwork }: { showsNetwork: boolean }): RequestBody {
  const { requestId, endedAt, operation, caller, userId, actorId, credentialId, network } = entry
  const { method, route, parameters, status, problem, durationMs } = entry
  return {
    id: requestId,
    endedAt: endedAt.toISOString(),
    method,
    route,
    operationId: operation,
    parameters,
    status,
    problem,
    durationMs,
    caller: caller === null ? null : { kind: caller, userId, actorId, credentialId },
    network: showsNetwork ? network : null,
  }
}
