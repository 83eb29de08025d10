import type { MailKind } from '@platen/client'
import type { MessageKey } from '@platen/ui'

export type Kind = MailKind['kind']

/** What each mail is called, and when the service sends it. */
export const KINDS: Readonly<Record<Kind, { title: MessageKey; sent: MessageKey }>> = {
  order_received: { title: 'consoleSettings.mailReceived', sent: 'consoleSettings.mailReceivedSent' },
  order_paid: { title: 'consoleSettings.mailPaid', sent: 'consoleSettings.mailPaidSent' },
  order_on_hold: { title: 'consoleSettings.mailOnHold', sent: 'consoleSettings.mailOnHoldSent' },
  order_shipped: { title: 'consoleSettings.mailShipped', sent: 'consoleSettings.mailShippedSent' },
  order_delivered: { title: 'consoleSettings.mailDelivered', sent: 'consoleSettings.mailDeliveredSent' },
  order_cancelled: { title: 'consoleSettings.mailCancelled', sent: 'consoleSettings.mailCancelledSent' },
  order_refunded: { title: 'consoleSettings.mailRefunded', sent: 'consoleSettings.mailRefundedSent' },
}
