import type { MessageKey, Texts } from '@platen/ui'
import { ORDER_STATUS, type OrderStatus } from '../status.ts'

const TEXTS: Readonly<Record<string, MessageKey>> = {
  precondition_failed: 'console.failureChanged',
  order_not_found: 'console.failureUnknown',
  order_repeated: 'console.failureRepeated',
  order_number_invalid: 'console.failureNumber',
  required: 'console.failureMissing',
  formula: 'console.failureFormula',
  rounded_number: 'console.failureRounded',
  service_unavailable: 'console.failureLater',
}

/** Says why an order or a line failed, in the words of the pages. */
export function failureText({ text }: Pick<Texts, 'text'>, { code, detail }: { code: string; detail: string }): string {
  const known = TEXTS[code]
  if (known !== undefined) return text(known)
  const [, status] = /^The order is (\w+)\./.exec(detail) ?? []
  const shown = status === undefined || !isOrderStatus(status) ? undefined : ORDER_STATUS[status]
  return shown === undefined ? detail : text('console.failureStatus', { status: text(shown.text) })
}

const isOrderStatus = (name: string): name is OrderStatus => Object.hasOwn(ORDER_STATUS, name)
