import type { Trx } from '../../platform/db/index.ts'
import type { AuthContext } from '../context.ts'
import { authProblems } from '../problems.ts'
import { type EndReason, endSession, endSessions } from './store.ts'

type Ending = Pick<AuthContext, 'watch' | 'clock'>

/** Ends the session itself; ending one that has ended already changes nothing. */
export async function logOut(auth: AuthContext, key: { id: string; userId: string }): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    await auth.watch.announce(trx, key.id)
    await endSession(trx, key, 'logout', auth.clock.now())
  })
}

/** Ends one session of a user. @throws `session_not_found`, also for another user's */
export async function revokeSession(auth: AuthContext, key: { id: string; userId: string }): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    await auth.watch.announce(trx, key.id)
    if (!(await endSession(trx, key, 'revoked', auth.clock.now()))) throw authProblems.session_not_found()
  })
}

/** Ends all sessions of a user except one, or all. */
export async function endUserSessions(
  trx: Trx,
  { watch, clock }: Ending,
  sessions: { userId: string; except: string | undefined },
  reason: EndReason,
): Promise<void> {
  // The user is doubted, so that all their sessions are, however many.
  await watch.announce(trx, sessions.userId)
  await endSessions(trx, sessions, reason, clock.now())
}
