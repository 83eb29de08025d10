import type { Config } from '../../config/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Client } from '../caller.ts'
import { newId } from '../ids.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import type { User } from '../users/store.ts'
import { insertRefreshToken, insertSession, type OpenedSession, type Session } from './store.ts'

export interface OpenSessionDeps {
  clock: Clock
  config: Pick<Config, 'tokens'>
}

/**
 * Opens a session for a verified user. Its id and tokens are always new, so that an attacker cannot choose them
 * (session fixation).
 *
 * @param user a user that was locked against changes until the transaction ends
 * @param methods the `amr` claim (RFC 8176)
 */
export async function openSession(
  trx: Trx,
  { clock, config: { tokens } }: OpenSessionDeps,
  { user, methods, client }: { user: User; methods: string[]; client: Client },
): Promise<OpenedSession> {
  const now = clock.now()
  const expiresAt = addSeconds(now, tokens.sessionMaxSeconds)
  const session: Session = {
    id: newId('session'),
    userId: user.id,
    ipAddress: client.ip,
    userAgent: client.userAgent,
    createdAt: now,
    authenticatedAt: now,
    authenticationMethods: methods,
    lastSeenAt: now,
    refreshExpiresAt: addSeconds(now, tokens.refreshSeconds),
    expiresAt,
  }
  const refreshToken = newSecret()
  await insertSession(trx, session)
  await insertRefreshToken(trx, {
    hash: hashSecret(refreshToken),
    sessionId: session.id,
    expiresAt: session.refreshExpiresAt,
  })
  return { session, refreshToken }
}
