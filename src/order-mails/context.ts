import type { Config } from '../config/index.ts'
import type { Clock } from '../platform/clock.ts'
import { createMailer, type SendMail } from '../platform/smtp.ts'
import type { ContentDeps } from './content/deps.ts'
import { createTemplates } from './content/templates.ts'

export interface OrderMailDeps extends ContentDeps {
  clock: Clock
  config: ContentDeps['config'] & Pick<Config, 'orderMails'>
  /** Counts a mail to an address that may be a stranger's. Returns whether the limits allow it. */
  mayMailUnconfirmed(mail: { email: string; senderId: string }): Promise<boolean>
  /** Undefined without a mail server: mails stay in the outbox. */
  send: SendMail | undefined
}

interface Given extends Omit<OrderMailDeps, 'render' | 'send'> {
  config: OrderMailDeps['config'] & Pick<Config, 'mailTemplatesDir' | 'smtpUrl' | 'mailFrom'>
}

export function createOrderMailDeps(given: Given): OrderMailDeps {
  const { config, log } = given
  return {
    ...given,
    render: createTemplates({ dir: config.mailTemplatesDir, log }),
    send: createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom }),
  }
}
