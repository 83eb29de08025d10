import { PlatenError } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'
import { problemText } from '../../shell/failures/problem-text.ts'

const TEXTS: Readonly<Record<string, MessageKey>> = {
  order_action_refused: 'order.problemChanged',
  payment_in_progress: 'order.problemPaymentInProgress',
  payment_unavailable: 'order.problemNoAnswer',
  payment_token_required: 'order.problemCannotPayHere',
  payment_token_unknown: 'order.problemCannotPayHere',
  address_destination_changed: 'order.problemDestination',
  address_invalid: 'order.addressRefused',
  shipping_unavailable: 'order.problemShipping',
  quote_used: 'order.problemChanged',
  email_required: 'order.addressRefused',
  total_too_large: 'order.problemTotal',
  shipping_method_unknown: 'order.problemShippingMethod',
}

/** Why a payment was declined, as far as the customer may know. */
const DECLINES: Readonly<Record<string, MessageKey>> = {
  insufficient_funds: 'order.declinedFunds',
  expired_card: 'order.declinedExpired',
  incorrect_details: 'order.declinedDetails',
  authentication_failed: 'order.declinedAuthentication',
  not_supported: 'order.declinedNotSupported',
}

/** The page of the payment provider is none to which a browser may go. */
export class UnusablePage extends Error {}

/** The payment provider requires a step that only its own library can do. The shop sends customers to pages instead. */
export class UnusableStep extends Error {}

/** Says what failed about an order, and what the customer can do. */
export function orderProblemText(texts: Pick<Texts, 'text'>, error: unknown): string {
  if (error instanceof UnusablePage) return texts.text('order.problemCannotPayHere')
  if (error instanceof UnusableStep) return texts.text('order.problemStep')
  if (!(error instanceof PlatenError)) return problemText(texts, error)
  if (error.code === 'payment_declined') return texts.text(DECLINES[error.reason] ?? 'order.declined')
  const key = TEXTS[error.code]
  return key === undefined ? problemText(texts, error) : texts.text(key)
}
