import { addSeconds } from '../platform/clock.ts'
import type { JobDefinition } from '../platform/jobs/jobs.ts'
import { ERASE_JOB } from './accounts/personal-data/close-user.ts'
import { eraseClosedAccount, eraseRemainingData } from './accounts/personal-data/erase-data.ts'
import { MOVE_REST_JOB, moveRest } from './accounts/personal-data/move-rest.ts'
import { pruneRevokedKeys } from './api-keys/store.ts'
import { COMPLETE_RESET_JOB, completeDueReset } from './factor-resets/reset-factors.ts'
import { eraseUnusedGuests } from './guests/erase-unused.ts'
import { pruneInvitations } from './invitations/store.ts'
import { pruneMail } from './mail/store.ts'
import { pruneFactors } from './mfa/factors/store.ts'
import { LONGEST_LIMIT_SECONDS } from './mfa/sms/limits.ts'
import { pruneSms } from './mfa/sms/store.ts'
import { pruneFlows } from './oauth/store.ts'
import { pruneChallenges } from './passkeys/webauthn/store.ts'
import { pruneCodes } from './pending-sign-ins/codes.ts'
import { prunePendingSignIns } from './pending-sign-ins/store.ts'
import type { AuthServices } from './services.ts'
import { pruneSessions } from './sessions/store.ts'
import { pruneOperations } from './throttle/limit-operation.ts'
import { pruneBuckets } from './throttle/store.ts'
import { pruneTickets } from './tickets/store.ts'

/** Time for which ended sessions are retained for investigations. */
const KEEP_SESSIONS_SECONDS = 30 * 24 * 3600

/**
 * Time after the revocation of a key for which the service still recognizes the key and records its use. The security
 * events about the key stay longer.
 */
const KEEP_REVOKED_KEYS_SECONDS = 30 * 24 * 3600

/** Ended invitations contain email addresses of persons who may have no account. */
const KEEP_INVITATIONS_SECONDS = 30 * 24 * 3600

export function authJobs(
  deps: Pick<AuthServices, 'db' | 'clock' | 'log' | 'config' | 'accountData' | 'revocations' | 'audit' | 'keys'>,
): JobDefinition[] {
  const { db, clock, config } = deps
  return [
    {
      name: ERASE_JOB,
      cron: '47 2 * * *',
      handle: (payload) => {
        const { userId } = payload as { userId?: string }
        return userId === undefined ? eraseRemainingData(deps) : eraseClosedAccount(deps, userId)
      },
    },
    MOVE_REST_JOB.handledBy(async ({ userId }) => {
      await moveRest(deps, userId)
    }),
    {
      name: COMPLETE_RESET_JOB,
      handle: (payload) => completeDueReset(deps, (payload as { id: string }).id),
    },
    {
      name: 'auth.prune',
      cron: '17 * * * *',
      handle: async () => {
        const now = clock.now()
        await pruneMail(db, now)
        await pruneFlows(db, now)
        await pruneCodes(db, now)
        await pruneSms(db, now, { keepSeconds: LONGEST_LIMIT_SECONDS })
        await pruneOperations(db, now)
        await pruneRevokedKeys(db, addSeconds(now, -KEEP_REVOKED_KEYS_SECONDS))
        await pruneBuckets(db, config.login, now)
        await prunePendingSignIns(db, now)
        await pruneFactors(db, now)
        await pruneChallenges(db, now)
        await pruneTickets(db, now)
        await pruneInvitations(db, addSeconds(now, -KEEP_INVITATIONS_SECONDS))
        await eraseUnusedGuests(deps)
        const { replaySeconds } = config.tokens
        await pruneSessions(db, now, { keepSeconds: KEEP_SESSIONS_SECONDS, replaySeconds })
      },
    },
  ]
}
