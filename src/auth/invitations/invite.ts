import type { Config } from '../../config/index.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { lockAdministrator } from '../accounts/lock-administrator.ts'
import type { Caller } from '../caller.ts'
import { newId } from '../ids.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { mayMail } from '../mail/mails.ts'
import { authProblems } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { requireEmailAddress } from '../users/email-address.ts'
import { mailInvitation } from './mail-invitation.ts'
import type { NewInvitationBody } from './schemas.ts'
import { type Invitation, insertInvitation, revokeOpenInvitation } from './store.ts'

export type InvitationDeps = AccountChangeDeps & { config: Pick<Config, 'registration'> }

const LIFETIME_SECONDS = 7 * 24 * 3600

/**
 * Invites a person by mail. An open invitation to the same email address ends, so that only the newest link works.
 *
 * @throws `staff_role_needs_operator`, `registration_closed` for customers while registration is closed, `rate_limited`,
 *   and the errors of `lockAdministrator`
 */
export async function invite(
  trx: Trx,
  auth: InvitationDeps,
  caller: Caller,
  { email: given, role, staffRole = null, locale }: NewInvitationBody,
): Promise<Invitation> {
  const email = requireEmailAddress(given, '/email')
  if (staffRole !== null && role !== 'operator') throw authProblems.staff_role_needs_operator()
  if (role === 'customer' && auth.config.registration === 'closed') throw authProblems.registration_closed()
  const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
  const createdAt = auth.clock.now()
  await limitOperation(trx, { userId: actor.id, operation: 'invite' }, createdAt)
  if (!(await mayMail(trx, auth, 'invitation', email)))
    throw httpProblems.rate_limited({ headers: { 'Retry-After': '60' } })
  const token = newSecret()
  const expiresAt = addSeconds(createdAt, LIFETIME_SECONDS)
  const wanted = { id: newId('invitation'), email, role, staffRole, locale: locale ?? null }
  const invitation = { ...wanted, invitedBy: actor.id, createdAt, expiresAt }
  await insertInvitation(trx, { ...invitation, tokenHash: hashSecret(token) })
  await mailInvitation(trx, auth, invitation, token)
  const details = { invitation: invitation.id, role, staffRole }
  const event = { userId: actor.id, sessionId, client: caller.client, details }
  await auth.audit.record(trx, { type: 'invitation_created', ...event })
  return { ...invitation, status: 'pending' }
}

/** Revokes an invitation. @throws `invitation_not_found`, also if it has ended, and those of `lockAdministrator` */
export async function revokeInvitation(auth: InvitationDeps, caller: Caller, id: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
    if (!(await revokeOpenInvitation(trx, id, auth.clock.now()))) throw authProblems.invitation_not_found()
    const event = { userId: actor.id, sessionId, client: caller.client, details: { invitation: id } }
    await auth.audit.record(trx, { type: 'invitation_revoked', ...event })
  })
}
