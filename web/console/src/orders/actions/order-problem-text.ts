import { createProblemText } from '@platen/app/frame'
import { PROBLEM_TEXTS } from '../../shell/problem-text.ts'

/** What operators read if an action on an order failed. */
export const orderProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  precondition_failed: 'console.problemChanged',
  order_action_refused: 'console.problemChanged',
  address_invalid: 'console.problemAddress',
  address_destination_changed: 'console.problemDestination',
  refund_too_large: 'console.problemRefundTooLarge',
  refund_refused: 'console.problemRefundRefused',
  payment_amount_mismatch: 'console.problemAmount',
  payment_unavailable: 'console.problemProviderSilent',
  payment_in_progress: 'console.problemPaymentInProgress',
})
