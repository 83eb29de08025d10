import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'

export const INVITATION_STATUSES = ['pending', 'accepted', 'expired', 'revoked'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

export interface Invitation {
  id: string
  email: string
  role: Role
  staffRole: StaffRole | null
  /** Language of the mail and of the new account (BCP 47). */
  locale: string | null
  invitedBy: string
  status: InvitationStatus
  createdAt: Date
  expiresAt: Date
}

/** An invitation ends with the administrator role of its inviter, who might otherwise prepare a way back. */
const IS_INVITER_ADMIN = sql`exists (
  select from users u where u.id = invited_by and u.role = 'admin' and u.disabled_at is null)`

const statusAt = (now: Date): RawBuilder<InvitationStatus> => sql`case
  when accepted_at is not null then 'accepted'
  when revoked_at is not null or not ${IS_INVITER_ADMIN} then 'revoked'
  when expires_at <= ${now}::timestamptz then 'expired'
  else 'pending' end`

const columnsAt = (now: Date) => sql`
  id, email, role, staff_role as "staffRole", locale, invited_by as "invitedBy", ${statusAt(now)} as status,
  created_at as "createdAt", expires_at as "expiresAt"`

export interface NewInvitation extends Omit<Invitation, 'status'> {
  tokenHash: string
}

/** Adds an invitation, which replaces an open one to the same email address. */
export async function insertInvitation(trx: Trx, invitation: NewInvitation): Promise<void> {
  const { createdAt, email } = invitation
  await sql`
    update invitations set revoked_at = ${createdAt}
    where email = ${email} and accepted_at is null and revoked_at is null`.execute(trx)
  await trx
    .insertInto('invitations')
    .values({
      id: invitation.id,
      email,
      role: invitation.role,
      staff_role: invitation.staffRole,
      locale: invitation.locale,
      token_hash: invitation.tokenHash,
      invited_by: invitation.invitedBy,
      created_at: createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute()
}

export async function findInvitation(db: Db | Trx, id: string, now: Date): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`select ${columnsAt(now)} from invitations where id = ${id}`.execute(db)
  return rows[0]
}

/** Finds the invitation that a mailed token accepts. */
export async function findInvitationByToken(
  db: Db | Trx,
  tokenHash: string,
  now: Date,
): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    select ${columnsAt(now)} from invitations
    where token_hash = ${tokenHash} and ${statusAt(now)} = 'pending'`.execute(db)
  return rows[0]
}

/** Consumes an invitation. Of concurrent requests with the same token, one gets it. */
export async function takeInvitation(
  trx: Trx,
  { tokenHash, userId }: { tokenHash: string; userId: string },
  now: Date,
): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    update invitations set accepted_at = ${now}, accepted_by = ${userId}
    where token_hash = ${tokenHash} and ${statusAt(now)} = 'pending'
    returning ${columnsAt(now)}`.execute(trx)
  return rows[0]
}

/** Revokes an open invitation. Returns false if none with this id is open. */
export async function revokeOpenInvitation(trx: Trx, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update invitations set revoked_at = ${now} where id = ${id} and accepted_at is null and revoked_at is null
    returning id`.execute(trx)
  return rows.length > 0
}

/** Lists invitations, newest first: one more than the limit if another page follows. */
export async function listInvitations(
  db: Db,
  { status, now }: { status: InvitationStatus | undefined; now: Date },
  query: PageQuery,
  after: string | undefined,
): Promise<Invitation[]> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (after !== undefined) conditions.push(sql`id < ${after}`)
  if (status !== undefined) conditions.push(sql`${statusAt(now)} = ${status}`)
  const { rows } = await sql<Invitation>`
    select ${columnsAt(now)} from invitations where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${query.limit + 1}`.execute(db)
  return rows
}

/** Deletes invitations that ended before a timestamp, because they contain email addresses. */
export async function pruneInvitations(db: Db, before: Date): Promise<void> {
  await sql`
    delete from invitations
    where expires_at < ${before} or accepted_at < ${before} or revoked_at < ${before}`.execute(db)
}
