import type { ListedOrder } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'
import { ORDER_STATUS, PAYMENT_STATUS } from '../../status.ts'

/** What the service says, and what operators read in their language. */
const TEXTS: readonly (readonly [RegExp, MessageKey])[] = [
  [/^Refunds already cover/, 'console.reasonAllRefunded'],
  [/^No shipment of the order/, 'console.reasonNoParcel'],
  [/^No item has failed print files/, 'console.reasonNoFailedFiles'],
  [/^Print files of an item are still/, 'console.reasonFilesPending'],
  [/^(Print files of an item have failed|An item has no print files)/, 'console.reasonFilesFailed'],
]

/** Says why an action is not possible. A reason that a later version of the service adds stays as the service words it. */
export function reasonText(
  { text }: Pick<Texts, 'text'>,
  order: Pick<ListedOrder, 'status' | 'payment'>,
  reason: string,
): string {
  const known = TEXTS.find(([pattern]) => pattern.test(reason))?.[1]
  if (known !== undefined) return text(known)
  if (/^The order is /.test(reason))
    return text('console.reasonStatus', { status: text(ORDER_STATUS[order.status].text) })
  if (/^The payment is /.test(reason)) {
    return text('console.reasonPayment', { status: text(PAYMENT_STATUS[order.payment.status].text) })
  }
  return reason
}
