import { createHmac } from 'node:crypto'
import type { Config } from '../../../config/index.ts'
import type { Trx } from '../../../platform/db/index.ts'
import { addressKey } from '../../../platform/http/core/client-address.ts'
import { networkOf } from '../../../platform/networks.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { type MailDeps, mailSmsCapReached } from '../../mail/mails.ts'
import { authProblems } from '../../problems.ts'
import { listAdministratorContacts } from '../../users/store.ts'
import type { SmsCapAlarm } from './cap-alarm.ts'
import { prefixOf } from './phone-number.ts'
import {
  type CodePurpose,
  insertSent,
  lockSending,
  noteCapAlert,
  type SentMessage,
  type SmsCap,
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

const MESSAGES_PER_IP = 20

/**
 * Limits for all messages. Text messages cost money, and the owners of some numbers and networks earn a share of it, so
 * attackers cause messages to such numbers ("SMS pumping").
 */
const LIMITS: readonly SmsLimit[] = [
  { by: 'numberHash', seconds: 60, messages: 1 },
  { by: 'userId', seconds: 86_400, messages: 10 },
  { by: 'ipKey', seconds: 86_400, messages: MESSAGES_PER_IP },
]

/** Further limits for codes to enrolled numbers. */
const LIMITS_OF_CODES: readonly SmsLimit[] = [
  { by: 'numberHash', seconds: 3600, messages: 5, isPerKind: true },
  { by: 'numberHash', seconds: 86_400, messages: 10, isPerKind: true },
]

/**
 * Further limit for codes that enrol a number. It is separate, because an attacker can try to enrol another person's
 * number, and must not use up the messages that the owner needs to sign in.
 */
const LIMITS_OF_ENROLMENTS: readonly SmsLimit[] = [{ by: 'numberHash', seconds: 86_400, messages: 3, isPerKind: true }]

/**
 * Limits how many numbers with the same prefix get messages. More numbers than this probably belong to one owner of a
 * block of numbers, not to many users.
 */
const PREFIX_LIMIT = { seconds: 600, numbers: 10 }

const CAP_SECONDS = 3600

export const LONGEST_LIMIT_SECONDS = Math.max(
  ...[...LIMITS, ...LIMITS_OF_CODES, ...LIMITS_OF_ENROLMENTS].map((limit) => limit.seconds),
)

/**
 * Counts a message if every limit allows it. One transaction at a time counts messages, on all nodes together. Rejected
 * messages are not counted.
 *
 * @throws `sms_limited`; `sms_unavailable` if the whole service has reached `PLATEN_SMS_PER_HOUR`
 */
export async function countMessage(
  trx: Trx,
  auth: SmsLimitDeps,
  { phoneNumber, userId, ip, purpose }: { phoneNumber: string; userId: string; ip: string; purpose: CodePurpose },
): Promise<void> {
  await lockSending(trx)
  const now = auth.clock.now()
  const ipKey = addressKey(ip)
  const message: SentMessage = {
    numberHash: createHmac('sha256', auth.keys.derive('platen sms numbers 1')).update(phoneNumber).digest('hex'),
    prefix: prefixOf(phoneNumber),
    userId,
    ipKey,
    network: networkOf(ipKey),
    purpose,
    sentAt: now,
  }
  const freeAt = latest([
    await untilWithinLimits(trx, message, limitsOf(auth.config.smsPerHour, message)),
    await untilPrefixAllows(trx, message, PREFIX_LIMIT),
  ])
  if (freeAt !== undefined) throw authProblems.sms_limited({ headers: retryAfter(freeAt, now) })
  await countTowardsCap(trx, auth, message)
}

function limitsOf(perHour: number, { purpose }: SentMessage): SmsLimit[] {
  if (purpose !== 'enroll') return [...LIMITS, ...LIMITS_OF_CODES]
  return [...LIMITS, ...LIMITS_OF_ENROLMENTS, limitOfNetworks(perHour)]
}

/**
 * Returns the limit of enrolments that the clients of a network cause. Without it, a client that rents a network could use
 * up the enrolments of all others with new accounts. It is at least the limit of one IP address.
 */
function limitOfNetworks(perHour: number): SmsLimit {
  const messages = Math.max(MESSAGES_PER_IP, Math.floor(perHour / 10))
  return { by: 'network', seconds: CAP_SECONDS, messages, isPerKind: true }
}

/**
 * Counts a message toward `PLATEN_SMS_PER_HOUR`. The message that reaches a cap also mails the administrators, because the
 * transactions of rejected messages are rolled back.
 */
async function countTowardsCap(trx: Trx, auth: SmsLimitDeps, message: SentMessage): Promise<void> {
  const now = message.sentAt
  const caps = capsOf(auth.config.smsPerHour, message)
  const freeAts = await untilEachAllows(trx, caps, now)
  const freeAt = latest(freeAts)
  if (freeAt !== undefined) {
    auth.smsCapAlarm.refused({ isOfEnrolments: freeAts[0] === undefined })
    throw authProblems.sms_unavailable({ headers: retryAfter(freeAt, now) })
  }
  await insertSent(trx, message)
  const untilFree = await untilEachAllows(trx, caps, now)
  const reached = caps.find((_, index) => untilFree[index] !== undefined)
  if (reached === undefined || !(await noteCapAlert(trx, reached, now))) return
  for (const { email } of await listAdministratorContacts(trx)) await mailSmsCapReached(trx, auth, email, reached)
}

/**
 * Returns the caps that a message counts toward. Enrolments get half, because anyone can cause them with new accounts, and
 * users who sign in or step up need the rest.
 */
function capsOf(perHour: number, { purpose }: SentMessage): SmsCap[] {
  const all: SmsCap = { seconds: CAP_SECONDS, messages: perHour, isOfEnrolments: false }
  const half = Math.max(1, Math.floor(perHour / 2))
  return purpose === 'enroll' ? [all, { ...all, messages: half, isOfEnrolments: true }] : [all]
}

async function untilEachAllows(trx: Trx, caps: readonly SmsCap[], now: Date): Promise<(Date | undefined)[]> {
  const moments = []
  for (const cap of caps) moments.push(await untilBelowCap(trx, cap, now))
  return moments
}

function latest(moments: readonly (Date | undefined)[]): Date | undefined {
  return moments.filter((moment) => moment !== undefined).sort((a, b) => Number(b) - Number(a))[0]
}

function retryAfter(freeAt: Date, now: Date): Record<string, string> {
  return { 'Retry-After': String(Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1000))) }
}
