import { createHmac } from 'node:crypto'
import type { Config } from '../../../config/index.ts'
import { addSeconds } from '../../../platform/clock.ts'
import type { Trx } from '../../../platform/db/index.ts'
import { addressKey } from '../../../platform/http/core/client-address.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { type MailDeps, mailSmsCapReached } from '../../mail/mails.ts'
import { authProblems } from '../../problems.ts'
import { listAdministratorEmails } from '../../users/store.ts'
import type { SmsCapAlarm } from './cap-alarm.ts'
import { prefixOf } from './phone-number.ts'
import {
  type CodePurpose,
  insertSent,
  lockSending,
  noteCapAlert,
  type SentMessage,
  type SmsLimit,
  untilBelowCap,
  untilPrefixAllows,
  untilWithinLimits,
} from './store.ts'

export type SmsLimitDeps = MailDeps & {
  config: Pick<Config, 'smsPerHour'>
  keys: KeyDerivation
  smsCapAlarm: SmsCapAlarm
}

/**
 * Text messages cost money, of which owners of number blocks and networks earn a share ("SMS pumping"). The service
 * rejects messages beyond these limits.
 */
const LIMITS: readonly SmsLimit[] = [
  { by: 'numberHash', seconds: 60, messages: 1 },
  { by: 'userId', seconds: 86_400, messages: 10 },
  { by: 'ipKey', seconds: 86_400, messages: 20 },
]

/** For numbers that are enrolled. */
const LIMITS_OF_CODES: readonly SmsLimit[] = [
  { by: 'numberHash', seconds: 3600, messages: 5, isPerKind: true },
  { by: 'numberHash', seconds: 86_400, messages: 10, isPerKind: true },
]

/** An attacker can enrol another person's number, which must not use up the messages for the owner's sign-ins. */
const LIMITS_OF_ENROLMENTS: readonly SmsLimit[] = [{ by: 'numberHash', seconds: 86_400, messages: 3, isPerKind: true }]

/** More different numbers than this with one prefix are probably one block of numbers rather than many users. */
const PREFIX_LIMIT = { seconds: 600, numbers: 10 }

const CAP_SECONDS = 3600

export const LONGEST_LIMIT_SECONDS = Math.max(
  ...[...LIMITS, ...LIMITS_OF_CODES, ...LIMITS_OF_ENROLMENTS].map((limit) => limit.seconds),
)

/**
 * Counts a message if every limit allows it. Messages are checked one after another over all nodes, and rejected ones
 * do not count.
 *
 * @throws `sms_limited`; `sms_unavailable` if the service as a whole has sent too many
 */
export async function countMessage(
  trx: Trx,
  auth: SmsLimitDeps,
  { phoneNumber, userId, ip, purpose }: { phoneNumber: string; userId: string; ip: string; purpose: CodePurpose },
): Promise<void> {
  await lockSending(trx)
  const now = auth.clock.now()
  const message: SentMessage = {
    numberHash: createHmac('sha256', auth.keys.derive('platen sms numbers 1')).update(phoneNumber).digest('hex'),
    prefix: prefixOf(phoneNumber),
    userId,
    ipKey: addressKey(ip),
    purpose,
    sentAt: now,
  }
  const limits = [...LIMITS, ...(purpose === 'enroll' ? LIMITS_OF_ENROLMENTS : LIMITS_OF_CODES)]
  const freeAt = latest([
    await untilWithinLimits(trx, message, limits),
    await untilPrefixAllows(trx, message, PREFIX_LIMIT),
  ])
  if (freeAt !== undefined) throw authProblems.sms_limited({ headers: retryAfter(freeAt, now) })
  await countTowardsCap(trx, auth, message)
}

/** The last message below the cap notifies the administrators, because later transactions are rolled back. */
async function countTowardsCap(trx: Trx, auth: SmsLimitDeps, message: SentMessage): Promise<void> {
  const cap = { seconds: CAP_SECONDS, messages: auth.config.smsPerHour }
  const now = message.sentAt
  const freeAt = await untilBelowCap(trx, cap, now)
  if (freeAt !== undefined) {
    auth.smsCapAlarm.refused()
    throw authProblems.sms_unavailable({ headers: retryAfter(freeAt, now) })
  }
  await insertSent(trx, message)
  if ((await untilBelowCap(trx, cap, now)) === undefined) return
  if (!(await noteCapAlert(trx, now, addSeconds(now, -CAP_SECONDS)))) return
  for (const email of await listAdministratorEmails(trx)) {
    await mailSmsCapReached(trx, auth, email, { perHour: cap.messages })
  }
}

function latest(moments: readonly (Date | undefined)[]): Date | undefined {
  return moments.filter((moment) => moment !== undefined).sort((a, b) => Number(b) - Number(a))[0]
}

function retryAfter(freeAt: Date, now: Date): Record<string, string> {
  return { 'Retry-After': String(Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1000))) }
}
