import { createProblemText } from '@platen/app/frame'
import { PROBLEM_TEXTS } from '../../shell/problem-text.ts'

/** What operators read if a change of a customer failed. */
export const customerProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  customer_exists: 'consoleCustomers.problemExists',
  customer_has_account: 'consoleCustomers.problemAccount',
  customer_not_found: 'console.customerMissing',
})
