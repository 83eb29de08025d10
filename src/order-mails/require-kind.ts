import { ORDER_MAIL_KINDS, type OrderMailKind } from './kinds.ts'
import { orderMailProblems } from './problems.ts'

/** @throws `mail_not_found` */
export function requireKind(given: string): OrderMailKind {
  const kind = ORDER_MAIL_KINDS.find((one) => one === given)
  if (kind === undefined) throw orderMailProblems.mail_not_found()
  return kind
}
