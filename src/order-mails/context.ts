import type { Config } from '../config/index.ts'
import type { Clock } from '../platform/clock.ts'
import { createCachedBytes } from '../platform/concurrency/cached-bytes.ts'
import { createMailer, type SendMail } from '../platform/messages/smtp.ts'
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

/** More pictures are drawn at once for one customer than mails are composed, so none waits. */
const PICTURES_OF_MAILS = {
  ...{ maxBytes: 4 * 1024 * 1024, maxEntryBytes: 512 * 1024, atOnce: 8 },
  waiting: { max: 100, whenFull: () => new Error('too many pictures of mails wait') },
}

interface Given extends Omit<OrderMailDeps, 'render' | 'send' | 'pictures'> {
  config: OrderMailDeps['config'] & Pick<Config, 'mailTemplatesDir' | 'smtpUrl' | 'mailFrom'>
}

export function createOrderMailDeps(given: Given): OrderMailDeps {
  const { config, log } = given
  return {
    ...given,
    pictures: createCachedBytes(PICTURES_OF_MAILS),
    render: createTemplates({ dir: config.mailTemplatesDir, log }),
    send: createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom }),
  }
}
