import type { MessageKey, Texts } from '@platen/ui'

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

/** Says why an order or a line failed. The status of the order stays as the service words it. */
export function failureText({ text }: Pick<Texts, 'text'>, { code, detail }: { code: string; detail: string }): string {
  const known = TEXTS[code]
  return known === undefined ? detail : text(known)
}
