import { type Static, Type } from 'typebox'
import { PageQuery } from '../../platform/http/responses/pagination.ts'
import { Name, OptionalStaffRole, RoleName } from '../accounts/schemas.ts'
import { Closed, EmailAddress, Locale, MailedToken, Password, Timestamp } from '../schemas.ts'
import { INVITATION_STATUSES, type Invitation, type InvitationStatus } from './store.ts'

const Status = Type.Unsafe<InvitationStatus>({ type: 'string', enum: INVITATION_STATUSES })

export const NewInvitationBody = Type.Object(
  {
    email: EmailAddress,
    role: RoleName,
    staffRole: Type.Optional(OptionalStaffRole),
    locale: Type.Optional(Locale),
  },
  Closed,
)
export type NewInvitationBody = Static<typeof NewInvitationBody>

export const InvitationParams = Type.Object({ invitationId: Type.String() }, Closed)

export const InvitationListQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(Status) }, Closed)

export const InvitationBody = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: RoleName,
    staffRole: OptionalStaffRole,
    locale: Type.Union([Type.String(), Type.Null()], { description: 'Language of the mail (BCP 47).' }),
    status: Type.Unsafe<InvitationStatus>({
      ...Status,
      description: '`revoked` also if the administrator who invited has lost the role since.',
    }),
    invitedBy: Type.String({ description: 'Id of the administrator.' }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { ...Closed, title: 'Invitation' },
)
export type InvitationBody = Static<typeof InvitationBody>

export const TokenBody = Type.Object({ token: MailedToken }, Closed)

export const AcceptBody = Type.Object({ token: MailedToken, password: Password, name: Type.Optional(Name) }, Closed)

/** What the page of the link shows. */
export const OfferBody = Type.Object(
  {
    email: Type.String(),
    role: RoleName,
    staffRole: OptionalStaffRole,
    hasAccount: Type.Boolean({ description: 'Whether the email address has an account, which must sign in.' }),
    expiresAt: Timestamp,
  },
  { ...Closed, title: 'InvitationOffer' },
)

export function toInvitationBody(invitation: Invitation): InvitationBody {
  const { createdAt, expiresAt, ...members } = invitation
  return { ...members, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
}

export function toOfferBody({ email, role, staffRole, expiresAt }: Invitation, hasAccount: boolean) {
  return { email, role, staffRole, hasAccount, expiresAt: expiresAt.toISOString() }
}
