import { LRUCache } from 'lru-cache'
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

const MAX_DRAWN_BYTES = 4 * 1024 * 1024

interface Given extends Omit<OrderMailDeps, 'render' | 'send' | 'drawn'> {
  config: OrderMailDeps['config'] & Pick<Config, 'mailTemplatesDir' | 'smtpUrl' | 'mailFrom'>
}

export function createOrderMailDeps(given: Given): OrderMailDeps {
  const { config, log } = given
  return {
    ...given,
    drawn: new LRUCache({ maxSize: MAX_DRAWN_BYTES, sizeCalculation: ({ byteLength }) => Math.max(1, byteLength) }),
    render: createTemplates({ dir: config.mailTemplatesDir, log }),
    send: createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom }),
  }
}
