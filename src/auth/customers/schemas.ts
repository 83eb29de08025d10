import { type Static, Type } from 'typebox'
import { PageQuery, pageOf } from '../../platform/http/responses/pagination.ts'
import { CUSTOMER_PERMISSIONS, type Permission } from '../access/permissions.ts'
import { Closed, EmailAddress, ExternalId, LABEL_PATTERN, Locale, NoContent, Timestamp } from '../schemas.ts'
import { customerIdOf } from '../users/customer-id.ts'
import type { Customer } from './store.ts'

const orNull = <Schema extends ReturnType<typeof Type.String>>(schema: Schema) => Type.Union([schema, Type.Null()])

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: LABEL_PATTERN, description: 'Full name.' })
const Metadata = Type.Record(
  Type.String({ pattern: '^.{1,64}$' }),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'Data of the client, not interpreted by the service. Values are strings, numbers or booleans.',
  },
)

export const CustomerBody = Type.Object(
  {
    id: Type.String(),
    externalId: orNull(Type.String()),
    userId: Type.Union([Type.String(), Type.Null()], { description: 'Id of the account; `null` without an account.' }),
    email: Type.Union([Type.String(), Type.Null()], {
      description: 'Email address of the account, or the one you entered. It identifies no customer.',
    }),
    name: orNull(Type.String()),
    locale: orNull(Type.String()),
    metadata: Metadata,
    guest: Type.Boolean({ description: 'Whether the customer is a visitor who did not sign up.' }),
    hasAccount: Type.Boolean({ description: 'Whether the customer can sign in.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { ...Closed, title: 'Customer' },
)
export type CustomerBody = Static<typeof CustomerBody>

export const CustomerPage = pageOf(CustomerBody)
export const CustomerParams = Type.Object({ customerId: Type.String() }, Closed)

export const NewCustomerBody = Type.Object(
  {
    externalId: ExternalId,
    email: Type.Optional(orNull(EmailAddress)),
    name: Type.Optional(orNull(Name)),
    locale: Type.Optional(orNull(Locale)),
    metadata: Type.Optional(Metadata),
  },
  Closed,
)
export type NewCustomerBody = Static<typeof NewCustomerBody>

export const CustomerChanges = Type.Partial(
  Type.Object({
    externalId: orNull(ExternalId),
    email: orNull(EmailAddress),
    name: orNull(Name),
    locale: orNull(Locale),
    metadata: Metadata,
  }),
  { ...Closed, minProperties: 1, description: 'Each member replaces the present value as a whole; `null` removes it.' },
)
export type CustomerChanges = Static<typeof CustomerChanges>

export const CustomerListQuery = Type.Object(
  {
    ...PageQuery.properties,
    externalId: Type.Optional(ExternalId),
    email: Type.Optional(Type.String({ maxLength: 320, description: 'Exact email address.' })),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Words of external id, name or email address. Each word matches as a prefix.',
      }),
    ),
  },
  Closed,
)

export const MergeBody = Type.Object(
  { into: Type.String({ maxLength: 64, description: 'Id of the customer that remains.' }) },
  Closed,
)

const TokenOptions = Type.Object(
  {
    permissions: Type.Optional(
      Type.Array(Type.Unsafe<Permission>({ type: 'string', enum: [...CUSTOMER_PERMISSIONS] }), {
        minItems: 1,
        maxItems: CUSTOMER_PERMISSIONS.size,
        uniqueItems: true,
        description:
          'Default: read and write of designs, assets and orders. The credential of this request must have each of them.',
      }),
    ),
    designId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The only design that the token reaches, with its files and the assets of the customer.',
      }),
    ),
    expiresInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 900, default: 900 })),
  },
  Closed,
)
/** All members are optional, so the body is too. */
export const TokenRequest = Type.Union([TokenOptions, Type.Null()])
export type TokenRequest = Static<typeof TokenOptions>

export const CustomerTokenBody = Type.Object(
  {
    token: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `Authorization: Bearer`. `null` in the response to a repeated request.',
    }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Lifetime of the token in seconds.' }),
  },
  { ...Closed, title: 'CustomerToken' },
)

export { NoContent }

export function toCustomerBody(customer: Customer): CustomerBody {
  const { userId, kind, externalId, email, name, locale, metadata } = customer
  const hasAccount = kind === 'account'
  return {
    id: customerIdOf(userId),
    externalId,
    userId: hasAccount ? userId : null,
    ...{ email, name, locale, metadata: metadata ?? {} },
    guest: kind === 'guest',
    hasAccount,
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
  }
}
