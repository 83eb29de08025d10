import type { Config } from '../../config/index.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { amendWaiting, sendMessage } from '../../platform/mail.ts'
import { type MailDeps, signed } from './mails.ts'
import { noteMail } from './store.ts'

/** Notices to one recipient within an hour that are sent at once. Further ones are collected. */
const NOTICES_PER_HOUR = 20
const COLLECT_SECONDS = 3600

/** Texts that a mail with several notices quotes. It states the number of all notices by subject. */
const MAX_QUOTED = 20

interface Notice {
  subject: string
  /** A sentence of the service; no text of a user. */
  what: string
}

interface Collected {
  quoted: string[]
  counts: Record<string, number>
}

const NONE: Collected = { quoted: [], counts: {} }

/**
 * Tells the owner that a credential of the account has changed. Each notice reaches the owner, and a flood hides none:
 *
 * - A notice joins a notice to the same recipient that the mail server has not received yet.
 * - Notices beyond a number within an hour form one mail an hour later, which states their number by subject. The first
 *   of each subject within an hour is sent at once in any case.
 */
export async function mailSecurityNotice(trx: Trx, mailing: MailDeps, to: string, notice: Notice): Promise<void> {
  const now = mailing.clock.now()
  const note = (kind: string, perHour: number) =>
    noteMail(trx, mailing, { kind, recipient: to, pauseSeconds: 0, perHour })
  const isWithinLimit = await note('security_notice', NOTICES_PER_HOUR)
  const isFirst = await note(`security_notice: ${notice.subject}`, 1)
  const isDelayed = !isWithinLimit && !isFirst
  // Without a mail server no mail waits: each stays in the outbox on its own.
  const isCollecting = isDelayed || mailing.config.smtpUrl !== undefined
  const add = (present: unknown) => toMail(withNotice(present as Collected, notice), mailing.config)
  if (isCollecting && (await amendWaiting(trx, { to, isDelayed }, add))) return
  const { subject, text, collected } = add(NONE)
  const collecting = isCollecting ? { collected } : {}
  const delayed = isDelayed ? { sendAfter: addSeconds(now, COLLECT_SECONDS) } : {}
  await sendMessage(trx, { channel: 'email', to, subject, text, ...collecting, ...delayed }, now)
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

/** Sent to the current email address. Not capped itself: requests for a change are capped. */
export async function mailEmailChangeRequested(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await mailSecurityNotice(trx, mailing, email, {
    subject: 'Change of your email address requested',
    what:
      'A device that is signed in to your account requested a change of its email address. The present one stays valid ' +
      'until the new one is confirmed. Setting a new password cancels the change.',
  })
}
