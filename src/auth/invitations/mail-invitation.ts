import type { Trx } from '../../platform/db/index.ts'
import { isGerman } from '../mail/languages.ts'
import { type MailDeps, mailText } from '../mail/mails.ts'
import type { NewInvitation } from './store.ts'

/** Mails the link of an invitation, in the language of the invitation. It contains no text of a user. */
export async function mailInvitation(
  trx: Trx,
  mailing: MailDeps,
  { email, role, locale }: Pick<NewInvitation, 'email' | 'role' | 'locale'>,
  token: string,
): Promise<void> {
  const { shopName, shopUrl } = mailing.config
  const link = `${shopUrl}/accept-invitation?token=${token}`
  const isCustomer = role === 'customer'
  const { subject, paragraphs } = isGerman(locale)
    ? {
        subject: `Einladung zu ${shopName}`,
        paragraphs: [
          `${shopName} lädt Sie ein, ${isCustomer ? 'ein Konto anzulegen' : 'mit einem Konto dort zu arbeiten'}. Öffnen Sie dazu innerhalb von 7 Tagen diesen Link:`,
          link,
          'Wenn Sie keine Einladung erwarten, müssen Sie nichts tun. Ohne den Link entsteht kein Konto.',
        ],
      }
    : {
        subject: `Invitation to ${shopName}`,
        paragraphs: [
          `${shopName} invites you to ${isCustomer ? 'have an account' : 'work there with an account'}. To accept, open this link within 7 days:`,
          link,
          'If you do not expect an invitation, do nothing: without the link, no account is created.',
        ],
      }
  await mailText(trx, mailing, { kind: 'invitation', to: email, subject, paragraphs, isUrgent: true })
}
