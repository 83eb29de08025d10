import type { Db, Trx } from '../../platform/db/index.ts'
import { lockName } from '../../platform/db/locking/locks.ts'
import { retryOnConflict } from '../../platform/db/locking/retry-on-conflict.ts'
import type { StorageQuota } from '../../platform/storage/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { AccountData } from '../accounts/personal-data/account-data.ts'
import { type InTurn, type MovedRecords, moveMoreOrLeaveToJob } from '../accounts/personal-data/move-rest.ts'
import type { Audit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import { moveData } from '../customers/move-data.ts'
import { hashSecret } from '../keys/secrets.ts'
import { customerProblems } from '../problems.ts'
import type { AccessTokens } from '../sessions/access-token.ts'
import type { EndSessionsDeps } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { isRefreshTokenFormed } from '../sessions/refresh-token.ts'
import { findTokenOwner, isSessionOpen } from '../sessions/store.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { customerIdOf } from '../users/customer-id.ts'
import { lockUser } from '../users/store.ts'

export type ClaimGuestDeps = EndSessionsDeps & {
  db: Db
  log: Log
  audit: Audit
  tokens: AccessTokens
  accountData: readonly AccountData[]
  quota: Pick<StorageQuota, 'requireRoomFor' | 'requireWithin'>
}

/**
 * Moves everything that a guest made to the account of the caller, and closes the guest. A first transaction moves what
 * the account works with. The others move the many archived designs, because readers of events wait for the oldest
 * transaction.
 *
 * @param guestToken the refresh token of the guest, or its access token
 * @param inTurn runs each of the transactions when it is the turn of the caller
 * @returns the number of records of the guest, also if a job has to move some of them
 * @throws `invalid_guest_token`, `storage_quota_exceeded`, `credential_not_accepted` if the session of the caller has ended
 */
export async function claimGuest(
  auth: ClaimGuestDeps,
  caller: Caller,
  guestToken: string,
  inTurn: InTurn,
): Promise<MovedRecords> {
  const found = await readGuestToken(auth, guestToken)
  if (found === undefined) throw customerProblems.invalid_guest_token()
  const claim = async (trx: Trx) => {
    // A transaction gets its id with its first lock of a row, and from then on all readers of events wait for it. So
    // claims of one guest, and claims of one account, wait for each other before that.
    await lockName(trx, `claim ${found.userId}`)
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    await requireGuest(trx, auth, found)
    // Without a limit, an account could store any number of quotas, one guest after another.
    const now = auth.clock.now()
    await auth.quota.requireRoomFor(trx, user.id, found.userId, now)
    const records = await moveData(trx, auth, found.userId, user.id)
    await auth.quota.requireWithin(trx, user.id, now)
    const details = { guest: customerIdOf(found.userId) }
    const event = { type: 'guest_claimed', userId: user.id, sessionId, client: caller.client, details } as const
    await auth.audit.record(trx, event)
    return records
  }
  const records = await inTurn(async () => {
    await limitOperation(auth.db, { userId: caller.userId, operation: 'claim_guest' }, auth.clock.now())
    return retryOnConflict(() => auth.db.transaction().execute(claim))
  })
  await moveMoreOrLeaveToJob(auth, found.userId, inTurn)
  return records
}

interface GuestSession {
  userId: string
  sessionId: string
}

async function readGuestToken(
  { db, clock, tokens }: ClaimGuestDeps,
  guestToken: string,
): Promise<GuestSession | undefined> {
  if (isRefreshTokenFormed(guestToken)) return findTokenOwner(db, hashSecret(guestToken), clock.now())
  const content = await tokens.read(guestToken)
  return content?.isGuest === true ? content : undefined
}

/** The lock makes changes of the guest wait, such as its erasure. */
async function requireGuest(trx: Trx, { clock }: ClaimGuestDeps, { userId, sessionId }: GuestSession): Promise<void> {
  const guest = await lockUser(trx, userId, 'update')
  const isUsable = guest?.kind === 'guest' && guest.deletedAt === null && guest.disabledAt === null
  if (!isUsable || !(await isSessionOpen(trx, sessionId, clock.now()))) throw customerProblems.invalid_guest_token()
}
