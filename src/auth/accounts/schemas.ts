import { type Static, Type } from 'typebox'
import { STAFF_ROLES, type StaffRole } from '../../platform/http/core/principal.ts'
import { PageQuery } from '../../platform/http/responses/pagination.ts'
import { PERMISSIONS, type Permission, permissionsOf } from '../access/permissions.ts'
import { Closed, EmailAddress, ExternalId, LABEL_PATTERN, Locale, Password, Timestamp } from '../schemas.ts'
import { customerIdOf } from '../users/customer-id.ts'
import type { User } from '../users/store.ts'

export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: LABEL_PATTERN,
  description: 'Full name of the user.',
})
export const RoleName = Type.Union([Type.Literal('customer'), Type.Literal('operator'), Type.Literal('admin')], {
  title: 'Role',
})

export const OptionalStaffRole = Type.Unsafe<StaffRole | null>({
  anyOf: [{ type: 'string', enum: STAFF_ROLES }, { type: 'null' }],
  title: 'StaffRole',
  description:
    'Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do.',
})

export const RegisterBody = Type.Object({ email: EmailAddress, password: Password, name: Type.Optional(Name) }, Closed)

export const StorageBody = Type.Object(
  {
    used: Type.Integer({
      minimum: 0,
      description:
        'Bytes of assets, fonts and drafts, of deleted files until their collection, and of uploads in progress.',
    }),
    quota: Type.Union([Type.Integer(), Type.Null()], { description: 'Limit in bytes; `null` means no limit.' }),
  },
  { ...Closed, title: 'StorageUsage' },
)

export const ProfileChange = Type.Object(
  {
    name: Type.Optional(Type.Union([Name, Type.Null()])),
    locale: Type.Optional(Type.Union([Locale, Type.Null()])),
  },
  Closed,
)

export const AccessChange = Type.Object(
  {
    role: Type.Optional(RoleName),
    staffRole: Type.Optional(OptionalStaffRole),
    disabled: Type.Optional(Type.Boolean()),
  },
  { ...Closed, minProperties: 1 },
)

export const UserListQuery = Type.Object(
  {
    ...PageQuery.properties,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Words of email address, name or external id. Each word matches as a prefix, a word of two letters as a whole.',
      }),
    ),
    email: Type.Optional(Type.String({ maxLength: 320, description: 'Exact email address.' })),
    externalId: Type.Optional(ExternalId),
    role: Type.Optional(RoleName),
    staffRole: Type.Optional(Type.Unsafe<StaffRole>({ type: 'string', enum: STAFF_ROLES })),
    disabled: Type.Optional(Type.Boolean()),
  },
  Closed,
)

export const UserParams = Type.Object({ userId: Type.String() }, Closed)

const userMembers = {
  id: Type.String(),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  name: Type.Union([Type.String(), Type.Null()]),
  role: RoleName,
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const UserBody = Type.Object(userMembers, { ...Closed, title: 'User' })

/** The account of the caller. */
export const OwnUserBody = Type.Object(
  {
    ...userMembers,
    customerId: Type.String({ description: 'Id under which operators see the designs and orders of the account.' }),
    locale: Type.Union([Type.String(), Type.Null()], { description: 'Language of mails (BCP 47).' }),
    staffRole: OptionalStaffRole,
    permissions: Type.Array(Type.Unsafe<Permission>({ type: 'string', enum: PERMISSIONS }), {
      description: 'What the account may do. An API key may have each of these permissions.',
    }),
  },
  { ...Closed, title: 'OwnUser' },
)

export type UserBody = Static<typeof UserBody>

export const ManagedUserBody = Type.Object(
  {
    ...userMembers,
    staffRole: OptionalStaffRole,
    disabled: Type.Boolean(),
    customerId: Type.String({ description: 'Id under which operators see the designs and orders of the account.' }),
    externalId: Type.Union([Type.String(), Type.Null()], { description: 'Id of the customer in your own system.' }),
    secondFactors: Type.Array(Type.Union([Type.Literal('totp'), Type.Literal('sms'), Type.Literal('webauthn')])),
  },
  { ...Closed, title: 'ManagedUser' },
)
export type ManagedUserBody = Static<typeof ManagedUserBody>

export function toUserBody(user: User): UserBody {
  return {
    id: user.id,
    email: user.email,
    emailVerified: user.emailVerifiedAt !== null,
    name: user.name,
    role: user.role,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  }
}

export function toOwnUserBody(user: User): Static<typeof OwnUserBody> {
  const { id, locale, staffRole } = user
  return { ...toUserBody(user), customerId: customerIdOf(id), locale, staffRole, permissions: [...permissionsOf(user)] }
}

export function toManagedUserBody(user: User): ManagedUserBody {
  const { id, staffRole, disabledAt, externalId, mfaMethods } = user
  return {
    ...toUserBody(user),
    staffRole,
    disabled: disabledAt !== null,
    customerId: customerIdOf(id),
    externalId,
    secondFactors: mfaMethods as ManagedUserBody['secondFactors'],
  }
}
