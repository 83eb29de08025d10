import { type Static, Type } from 'typebox'
import { GRANTS } from '../access/permissions.ts'
import { Closed, LABEL_PATTERN, Timestamp } from '../schemas.ts'
import type { ApiKey } from './store.ts'

const OrNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()])

const Grant = Type.Union(
  GRANTS.map((grant) => Type.Literal(grant)),
  {
    title: 'Permission',
    description:
      '`read` grants every `*:read` permission, and `write` every `*:write` permission and no `*:read` permission. Neither includes those of customers, prices, users, the audit log and the system, which a key must name.',
  },
)

const DAY = 24 * 3600

export const NewKeyBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: LABEL_PATTERN,
      description: 'Label that the user chooses.',
    }),
    permissions: Type.Array(Grant, { minItems: 1, maxItems: GRANTS.length, uniqueItems: true }),
    expiresAt: Type.Optional(Timestamp),
  },
  Closed,
)

export const RotateBody = Type.Object(
  {
    overlapSeconds: Type.Integer({
      minimum: 0,
      maximum: 30 * DAY,
      default: 0,
      description: 'Time for which the current secret remains valid beside the new one.',
    }),
  },
  Closed,
)

export const KeyParams = Type.Object({ keyId: Type.String() }, Closed)

const keyMembers = {
  id: Type.String(),
  name: Type.String(),
  permissions: Type.Array(Type.Unsafe<string>(Grant)),
  start: Type.String({ description: 'The first characters of the key.' }),
  last4: Type.String({ description: 'The last four characters of the key.' }),
  createdAt: Timestamp,
  expiresAt: OrNull(Timestamp),
  lastUsedAt: OrNull(Timestamp),
}

export const KeyBody = Type.Object(keyMembers, { ...Closed, title: 'ApiKey' })
export type KeyBody = Static<typeof KeyBody>

export const SecretKeyBody = Type.Object(
  {
    ...keyMembers,
    key: Type.Union([Type.String(), Type.Null()], { description: 'The API key. Only this response contains it.' }),
  },
  { ...Closed, title: 'NewApiKey' },
)
export type SecretKeyBody = Static<typeof SecretKeyBody>

export function toKeyBody(key: ApiKey): KeyBody {
  return {
    id: key.id,
    name: key.name,
    permissions: key.permissions,
    start: key.start,
    last4: key.last4,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  }
}
