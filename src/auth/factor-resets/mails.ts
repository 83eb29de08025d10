import type { Trx } from '../../platform/db/index.ts'
import { isGerman } from '../mail/languages.ts'
import { type MailDeps, mailText } from '../mail/mails.ts'
import type { User } from '../users/store.ts'

/** Tells the owner of an account that its second factors are to be removed, with a link that stops it. */
export async function mailResetStarted(
  trx: Trx,
  mailing: MailDeps,
  { email, locale }: Pick<User, 'email' | 'locale'>,
  { token, dueAt }: { token: string; dueAt: Date },
): Promise<void> {
  const link = `${mailing.config.shopUrl}/stop-factor-reset?token=${token}`
  const due = `${dueAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const { subject, paragraphs } = isGerman(locale)
    ? {
        subject: 'Ihre zweiten Faktoren sollen entfernt werden',
        paragraphs: [
          `Eine Administratorin oder ein Administrator will die zweiten Faktoren Ihres Kontos entfernen, weil sie verloren gegangen sind. Das geschieht spätestens am ${due}, nach einer zweiten Bestätigung sofort. Danach melden Sie sich nur mit dem Passwort an.`,
          'Wenn Sie nicht darum gebeten haben, öffnen Sie diesen Link, um es zu verhindern:',
          link,
        ],
      }
    : {
        subject: 'Your second factors are to be removed',
        paragraphs: [
          `An administrator wants to remove the second factors of your account, because they were lost. This happens at ${due} at the latest, and at once after a second confirmation. Afterwards you sign in with the password alone.`,
          'If you did not ask for it, open this link to prevent it:',
          link,
        ],
      }
  await mailText(trx, mailing, { kind: 'factor_reset', to: email, subject, paragraphs, isUrgent: true })
}

/** Tells the other administrators that a request waits for one of them. */
export async function mailConfirmationWanted(
  trx: Trx,
  mailing: MailDeps,
  email: string,
  { resetId, userId, dueAt }: { resetId: string; userId: string; dueAt: Date },
): Promise<void> {
  await mailText(trx, mailing, {
    kind: 'factor_reset_confirmation',
    to: email,
    subject: 'Removal of second factors: confirmation wanted',
    paragraphs: [
      `An administrator requested to remove the second factors of the user ${userId}. Make sure that the user asked for it. Then confirm the request ${resetId}, or stop it, in the console:`,
      `${mailing.config.origin}/console/people/factor-resets`,
      `Without a confirmation, the request is completed at ${dueAt.toISOString()}.`,
    ],
  })
}
