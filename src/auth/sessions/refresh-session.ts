import type { Config } from '../../config/index.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Client } from '../caller.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { mailSignInEnded } from '../mail/mails.ts'
import { authProblems } from '../problems.ts'
import { operationLimited } from '../throttle/limit-operation.ts'
import { findUser } from '../users/store.ts'
import type { AccountChangeDeps } from './end-sessions.ts'
import { isRefreshTokenFormed, openSuccessor, sealSuccessor } from './refresh-token.ts'
import {
  endSession,
  lockRefreshToken,
  markRepeated,
  type OpenedSession,
  rotateUnusedToken,
  type TokenOwner,
} from './store.ts'

export type RefreshDeps = AccountChangeDeps & { config: Pick<Config, 'tokens'> }

/**
 * Replaces a refresh token by a new one, its successor (RFC 9700, section 4.14). For some seconds, the same token gives
 * the same successor again, so that no user is signed out because a response was lost or two tabs sent the same token.
 * A later use means that the token was stolen: the session ends, and its owner is told. Other sessions continue.
 *
 * @throws `invalid_refresh_token`, `rate_limited` if a customer refreshes too often
 */
export async function refreshSession(auth: RefreshDeps, client: Client, token: string): Promise<RefreshedSession> {
  if (!isRefreshTokenFormed(token)) throw invalid()
  const rotated = await rotate(auth, client, token)
  if (rotated !== undefined) return rotated
  // If the token was stolen, this transaction ends the session. It must commit, so the function throws only after it.
  const repeated = await auth.db.transaction().execute((trx) => checkUsedToken(trx, auth, client, token))
  if (repeated === undefined) throw invalid()
  return repeated
}

export type RefreshedSession = OpenedSession & { user: TokenOwner }

async function rotate(
  { db, clock, config, audit }: RefreshDeps,
  client: Client,
  token: string,
): Promise<RefreshedSession | undefined> {
  const now = clock.now()
  const refreshToken = newSecret()
  const successor = {
    hash: hashSecret(refreshToken),
    sealed: sealSuccessor(token, refreshToken),
    expiresAt: addSeconds(now, config.tokens.refreshSeconds),
  }
  const event = audit.row({ type: 'refresh', userId: null, client })
  const found = await rotateUnusedToken(db, hashSecret(token), successor, event, now)
  if (found === undefined) return undefined
  const { session, user, isRotated } = found
  if (!isRotated) throw await operationLimited(db, { userId: user.id, operation: 'refresh' }, now)
  audit.note(event)
  return { session, user, refreshToken }
}

/**
 * Handles a token that was used before: returns its successor again, or ends the session. Returns undefined if the
 * session ended or the token is invalid for another reason.
 */
async function checkUsedToken(
  trx: Trx,
  auth: RefreshDeps,
  client: Client,
  token: string,
): Promise<RefreshedSession | undefined> {
  const now = auth.clock.now()
  const presented = await lockRefreshToken(trx, hashSecret(token))
  if (presented === undefined || presented.sessionEndedAt !== null || presented.tokenExpiresAt <= now) return undefined
  const { session, rotatedAt, successorSealed } = presented
  const user = await findUser(trx, session.userId)
  if (session.expiresAt <= now || user === undefined || user.disabledAt !== null || rotatedAt === null) return undefined
  const isRepeated = now.getTime() - rotatedAt.getTime() <= auth.config.tokens.replaySeconds * 1000
  const subject = { userId: user.id, sessionId: session.id, client }
  if (isRepeated && successorSealed !== null) {
    // Later repetitions of the token are not recorded, because they count against no limit of the account.
    if (await markRepeated(trx, hashSecret(token), now))
      await auth.audit.record(trx, { type: 'refresh', ...subject, details: { repeated: true } })
    return { session, user, refreshToken: openSuccessor(token, successorSealed) }
  }
  await auth.revocations.invalidate(trx, session.id)
  await endSession(trx, session, 'refresh_reuse', now)
  // The event has no actor, because either the owner or the thief may have sent the request.
  await auth.audit.record(trx, { type: 'refresh_reuse', result: 'failure', ...subject, actor: null })
  if (user.kind === 'account') await mailSignInEnded(trx, auth, user)
  return undefined
}

function invalid() {
  return authProblems.invalid_refresh_token({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
}
