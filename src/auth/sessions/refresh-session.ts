import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { findUser, type User } from '../accounts/store.ts'
import type { AuthContext } from '../context.ts'
import { mailSignInEnded } from '../mail/mails.ts'
import { authProblems } from '../problems.ts'
import type { OpenedSession } from './open-session.ts'
import {
  hashRefreshToken,
  isRefreshTokenFormed,
  newRefreshToken,
  openSuccessor,
  sealSuccessor,
} from './refresh-token.ts'
import {
  endSession,
  insertRefreshToken,
  lockRefreshToken,
  markRotated,
  type PresentedToken,
  touchSession,
} from './store.ts'

/**
 * Replaces a refresh token by its successor (RFC 9700, 4.14). Safe to repeat: for some seconds the same token gives the
 * same successor, also when that one was used already, so that a lost answer or a second tab signs nobody out.
 * Later it can only have been stolen: the session ends and its owner is told; their other sessions go on.
 *
 * @throws `invalid_refresh_token`
 */
export async function refreshSession(auth: AuthContext, token: string): Promise<OpenedSession & { user: User }> {
  if (!isRefreshTokenFormed(token)) throw invalid()
  // A theft is found out by the transaction that ends the session: it must commit, so nothing is thrown inside.
  const outcome = await auth.db.transaction().execute((trx) => exchange(trx, auth, token))
  if (outcome === undefined) throw invalid()
  return outcome
}

async function exchange(
  trx: Trx,
  auth: AuthContext,
  token: string,
): Promise<(OpenedSession & { user: User }) | undefined> {
  const now = auth.clock.now()
  const presented = await lockRefreshToken(trx, hashRefreshToken(token))
  if (presented === undefined || presented.sessionEndedAt !== null || presented.tokenExpiresAt <= now) return undefined
  const { session, rotatedAt, successorSealed } = presented
  const user = await findUser(trx, session.userId)
  if (session.expiresAt <= now || user === undefined || user.disabledAt !== null) return undefined
  if (rotatedAt === null) return { session, user, refreshToken: await rotate(trx, auth, token, presented) }
  const isRepeated = now.getTime() - rotatedAt.getTime() <= auth.config.tokens.replaySeconds * 1000
  if (isRepeated && successorSealed !== null) {
    return { session, user, refreshToken: openSuccessor(token, successorSealed) }
  }
  await auth.watch.announce(trx, session.id)
  await endSession(trx, session, 'refresh_reuse', now)
  await mailSignInEnded(trx, auth, user)
  return undefined
}

async function rotate(trx: Trx, auth: AuthContext, token: string, { session }: PresentedToken): Promise<string> {
  const now = auth.clock.now()
  const successor = newRefreshToken()
  const expiresAt = addSeconds(now, auth.config.tokens.refreshSeconds)
  await insertRefreshToken(trx, { hash: hashRefreshToken(successor), sessionId: session.id, expiresAt })
  await markRotated(trx, hashRefreshToken(token), sealSuccessor(token, successor), now)
  await touchSession(trx, session.id, expiresAt, now)
  return successor
}

function invalid() {
  return authProblems.invalid_refresh_token({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
}
