import type { Config } from '../../config/index.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { amendWaiting, sendMessage } from '../../platform/messages/mail.ts'
import { type MailDeps, signed } from './mails.ts'
import { noteMail } from './store.ts'

/**
 * Number of notices to one recipient within an hour that are sent at once. Further notices are collected in one mail.
 */
const NOTICES_PER_HOUR = 20
const COLLECT_SECONDS = 3600

/**
 * Maximum number of notices that one mail quotes. The mail also states how many notices of each subject it stands for.
 */
const MAX_QUOTED = 20

interface Notice {
  subject: string
  /** A sentence that the service wrote. It must not contain text of a user. */
  what: string
}

interface Collected {
  quoted: string[]
  counts: Record<string, number>
}

const NONE: Collected = { quoted: [], counts: {} }

/**
 * Tells the owner that a credential of the account has changed. The owner learns of each change, even if an attacker
 * causes many notices to hide one:
 *
 * - If a mail with a notice to the same recipient still waits for the mail server, the new notice is added to it.
 * - Notices beyond a number within an hour form one mail an hour later, which states their number by subject. The first
 *   notice of each subject within an hour is sent at once in any case.
 */
export async function mailSecurityNotice(trx: Trx, mailing: MailDeps, to: string, notice: Notice): Promise<void> {
  const now = mailing.clock.now()
  const note = (kind: string, perHour: number) =>
    noteMail(trx, mailing, { kind, recipient: to, pauseSeconds: 0, perHour })
  const isWithinLimit = await note('security_notice', NOTICES_PER_HOUR)
  const isFirst = await note(`security_notice: ${notice.subject}`, 1)
  const isDelayed = !isWithinLimit && !isFirst
  // Without a mail server, no mail is ever sent, so notices would be added to the same mail without end. Each gets a
  // mail of its own in the outbox.
  const isCollecting = isDelayed || mailing.config.smtpUrl !== undefined
  const add = (present: unknown) => toMail(withNotice(present as Collected, notice), mailing.config)
  if (isCollecting && (await amendWaiting(trx, { to, isDelayed }, add))) return
  const { subject, text, collected } = add(NONE)
  const collecting = isCollecting ? { collected } : {}
  const delayed = isDelayed ? { sendAfter: addSeconds(now, COLLECT_SECONDS) } : {}
  await sendMessage(
    trx,
    { channel: 'email', kind: 'security_notice', to, subject, text, ...collecting, ...delayed },
    now,
  )
}

function withNotice({ quoted, counts }: Collected, { subject, what }: Notice): Collected {
  return {
    quoted: quoted.length < MAX_QUOTED ? [...quoted, what] : quoted,
    counts: { ...counts, [subject]: (counts[subject] ?? 0) + 1 },
  }
}

function toMail(
  collected: Collected,
  config: Pick<Config, 'shopName'>,
): { subject: string; text: string; collected: Collected } {
  const counts = Object.entries(collected.counts)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const paragraphs = [
    ...collected.quoted,
    ...(total > collected.quoted.length
      ? [`And ${total - collected.quoted.length} more. GET /me/security-events lists all of them.`]
      : []),
    ...(total > 1 ? [counts.map(([subject, count]) => `${count} × ${subject}`).join('\n')] : []),
    'If it was not you, set a new password at once with "forgot password" on the sign-in page, and check the sign-in ' +
      'methods of your account.',
  ]
  const [only = ''] = Object.keys(collected.counts)
  const subject = total === 1 ? only : `${total} security notices for your account`
  return { subject, text: signed(paragraphs.join('\n\n'), config), collected }
}

/**
 * Tells the owner, at the current email address, that a change of the address was requested. It needs no limit of its
 * own, because the requests are limited.
 */
export async function mailEmailChangeRequested(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await mailSecurityNotice(trx, mailing, email, {
    subject: 'Change of your email address requested',
    what:
      'A device that is signed in to your account requested a change of its email address. The current one stays valid ' +
      'until the new one is confirmed. Setting a new password cancels the change.',
  })
}
