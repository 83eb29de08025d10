import { createProblemText } from '@platen/app/frame'
import { PROBLEM_TEXTS } from '../shell/problem-text.ts'

/** What administrators read if a job could not be retried. */
export const systemProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  job_not_found: 'consoleSystem.problemGone',
  job_not_failed: 'consoleSystem.problemNotFailed',
})
