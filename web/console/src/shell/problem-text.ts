import { createProblemText } from '@platen/app/frame'

/** What staff reads instead of a problem of the service. */
export const problemText = createProblemText({
  insufficient_role: 'console.problemNotAllowed',
  insufficient_scope: 'console.problemNotAllowed',
})
