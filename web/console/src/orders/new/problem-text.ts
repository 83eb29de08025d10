import { createProblemText, type ProblemText } from '@platen/app/frame'
import { PlatenError } from '@platen/client'
import { PROBLEM_TEXTS } from '../../shell/problem-text.ts'

/** What operators read if an order for a customer is refused. */
const TEXTS = {
  ...PROBLEM_TEXTS,
  address_invalid: 'consoleNewOrder.problemAddress',
  customer_exists: 'consoleNewOrder.problemCustomerExists',
  customer_has_account: 'consoleNewOrder.problemAccount',
  design_archived: 'consoleNewOrder.problemArchived',
  preflight_failed: 'consoleNewOrder.problemTexts',
  placeholder_missing: 'consoleNewOrder.problemTexts',
  quote_expired: 'consoleNewOrder.problemQuoteExpired',
  shipping_unavailable: 'consoleNewOrder.problemShipping',
  storage_quota_exceeded: 'consoleNewOrder.problemQuota',
  total_too_large: 'consoleNewOrder.problemTooLarge',
} as const

/** A design that is finalized again, for its price, may be one of a product that is no longer sold. */
function withUnavailable(describe: ProblemText): ProblemText {
  return (texts, error) =>
    error instanceof PlatenError && error.errors.some(({ code }) => code === 'product_unavailable')
      ? texts.text('consoleNewOrder.problemUnavailable')
      : describe(texts, error)
}

export const newOrderProblemText = withUnavailable(createProblemText(TEXTS))

export const templateProblemText = withUnavailable(
  createProblemText({ ...TEXTS, preflight_failed: 'consoleNewOrder.problemTemplate' }),
)

export const pictureProblemText = withUnavailable(
  createProblemText({ ...TEXTS, preflight_failed: 'consoleNewOrder.problemPicture' }),
)
