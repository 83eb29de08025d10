import type { Config } from '../../config/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Audit } from '../audit/audit.ts'
import type { SecurityEvent } from '../audit/events.ts'
import type { Client } from '../caller.ts'
import { newId } from '../ids.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { type LimitedOperation, operationLimited } from '../throttle/limit-operation.ts'
import type { User } from '../users/store.ts'
import { insertSession, type OpenedSession, type Session } from './store.ts'

export interface OpenSessionDeps {
  clock: Clock
  config: Pick<Config, 'tokens'>
  audit: Pick<Audit, 'row' | 'note'>
}

interface NewSession {
  /** A user that was locked against changes until the transaction ends. */
  user: User
  /** The `amr` claim (RFC 8176). */
  methods: string[]
  client: Client
  /** The security event that records the session. */
  event: Pick<SecurityEvent, 'type' | 'method' | 'details'>
  /** The operation as which the account counts it. Default: none. */
  limited?: LimitedOperation | undefined
}

/**
 * Opens a session for a verified user. Its id and tokens are always new, so that an attacker cannot choose them
 * (session fixation).
 *
 * @throws `rate_limited`
 */
export async function openSession(
  trx: Trx,
  { clock, config: { tokens }, audit }: OpenSessionDeps,
  { user, methods, client, event: recorded, limited }: NewSession,
): Promise<OpenedSession> {
  const now = clock.now()
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
    expiresAt: addSeconds(now, tokens.sessionMaxSeconds),
  }
  const refreshToken = newSecret()
  const event = audit.row({ ...recorded, userId: user.id, sessionId: session.id, client })
  const isOpened = await insertSession(trx, session, { tokenHash: hashSecret(refreshToken), event, limited })
  if (!isOpened && limited !== undefined)
    throw await operationLimited(trx, { userId: user.id, operation: limited }, now)
  audit.note(event)
  return { session, refreshToken }
}
