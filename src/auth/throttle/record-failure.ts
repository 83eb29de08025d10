import type { Trx } from '../../platform/db/index.ts'
import type { Audit } from '../audit/audit.ts'
import type { SecurityEventType } from '../audit/events.ts'
import type { Client } from '../caller.ts'
import { type MailDeps, mailBlocked, mailCodesBlocked, mailConfirmationBlocked, mayMail } from '../mail/mails.ts'
import { inUniformTime } from '../mail/uniform-time.ts'
import type { User } from '../users/store.ts'
import type { Block } from './store.ts'
import { kindOf } from './throttle.ts'

export type FailureDeps = MailDeps & { audit: Audit }

export interface Failure {
  type: Extract<SecurityEventType, 'sign_in_failed' | 'second_factor_failed' | 'step_up_failed'>
  /** The account that the attempt was for. Undefined if no such account exists. */
  user: Pick<User, 'id' | 'email'> | undefined
  /** The email address that the attempt was for, even if no account has it. */
  email: string
  client: Client
  method: string
  sessionId?: string
}

/**
 * Records a wrong password or code and the blocks that begin with it, and tells the owner of a blocked account. If no
 * account exists, it does the same work, so that the response time does not reveal this.
 */
export async function recordFailedVerification(
  trx: Trx,
  auth: FailureDeps,
  failure: Failure,
  begun: readonly Block[],
): Promise<void> {
  const { type, user, email, client, method, sessionId = null } = failure
  const userId = user?.id ?? null
  await auth.audit.record(trx, { type, result: 'failure', userId, actor: null, sessionId, client, method })
  for (const { bucket, block, until } of begun) {
    const details = { pool: kindOf(bucket), block, until: until.toISOString() }
    await auth.audit.record(trx, { type: 'block_started', userId, actor: 'system', client, method, details })
  }
  if (begun.some(({ bucket }) => bucket.startsWith('code:'))) {
    if (await mayMail(trx, auth, 'codes_blocked', email)) await mailCodesBlocked(trx, auth, email)
    return
  }
  if (begun.some(({ bucket }) => bucket.startsWith('confirmation:'))) {
    const mayNotify = user !== undefined && (await mayMail(trx, auth, 'confirmation_blocked', email))
    if (mayNotify) await mailConfirmationBlocked(trx, auth, email)
    return
  }
  if (!begun.some(({ bucket }) => !bucket.includes('address:'))) return
  await inUniformTime(trx, user !== undefined, async () => {
    if (await mayMail(trx, auth, 'sign_in_blocked', email)) await mailBlocked(trx, auth, email)
  })
}
