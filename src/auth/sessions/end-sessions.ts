import type { Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Audit } from '../audit/audit.ts'
import type { Caller, Client } from '../caller.ts'
import type { MailDeps } from '../mail/mails.ts'
import { dropEmailChange } from '../mail/store.ts'
import { dropCodes } from '../pending-sign-ins/codes.ts'
import { dropPendingSignIns } from '../pending-sign-ins/store.ts'
import { authProblems } from '../problems.ts'
import type { RevocationCache } from '../revocation/revocation-cache.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { type EndReason, endSession, endSessions } from './store.ts'

export interface EndSessionsDeps {
  revocations: RevocationCache
  clock: Clock
}

export interface SessionDeps extends EndSessionsDeps {
  db: Db
  audit: Audit
}

/**
 * Dependencies of actions that change credentials, because they end sessions, record security events and mail notices.
 */
export type AccountChangeDeps = SessionDeps & MailDeps

/** Ends the caller's own session. If it has already ended, nothing changes. */
export async function logOut(auth: SessionDeps, client: Client, key: { id: string; userId: string }): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    await auth.revocations.invalidate(trx, key.id)
    if (!(await endSession(trx, key, 'logout', auth.clock.now()))) return
    const { id: sessionId, userId } = key
    await auth.audit.record(trx, { type: 'sign_out', userId, sessionId, client })
  })
}

/**
 * Ends one session of the caller.
 *
 * @throws `session_not_found`, also for a session of another user
 */
export async function revokeSession(
  auth: SessionDeps,
  { userId, sessionId, client }: Caller,
  id: string,
): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    await auth.revocations.invalidate(trx, id)
    if (!(await endSession(trx, { id, userId }, 'revoked', auth.clock.now()))) throw authProblems.session_not_found()
    const details = { session: id }
    await auth.audit.record(trx, { type: 'session_revoked', userId, sessionId, client, details })
  })
}

/** Ends all sessions of the caller except the current one. */
export async function revokeOtherSessions(auth: SessionDeps, { userId, sessionId, client }: Caller): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const ended = await endUserSessions(trx, auth, { userId, except: sessionId }, 'revoked')
    const details = { sessions: ended }
    await auth.audit.record(trx, { type: 'session_revoked', userId, sessionId, client, details })
  })
}

/**
 * Ends all sessions of a user except the session `except`. It also ends pending sign-ins and codes that were not
 * redeemed, because their first factor may have become invalid, and cancels an email change that another session
 * requested.
 *
 * @returns how many sessions were open
 */
export async function endUserSessions(
  trx: Trx,
  { revocations, clock }: EndSessionsDeps,
  sessions: { userId: string; except: string | undefined },
  reason: EndReason,
): Promise<number> {
  // The limit applies only to changes that a session makes. A new password by mail is not limited, because an attacker
  // with a session could otherwise use up the owner's changes.
  if (reason === 'credential_changed' && sessions.except !== undefined) {
    await limitOperation(trx, { userId: sessions.userId, operation: 'change_credentials' }, clock.now())
  }
  // Invalidating the user also invalidates all sessions of the user.
  await revocations.invalidate(trx, sessions.userId)
  await dropEmailChange(trx, sessions)
  await dropPendingSignIns(trx, sessions.userId)
  await dropCodes(trx, sessions.userId)
  return endSessions(trx, sessions, reason, clock.now())
}
