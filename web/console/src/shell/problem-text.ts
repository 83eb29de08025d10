import { createProblemText, type ProblemTexts } from '@platen/app/frame'

/** What staff reads instead of problems that every page may have. */
export const PROBLEM_TEXTS: ProblemTexts = {
  insufficient_role: 'console.problemNotAllowed',
  insufficient_scope: 'console.problemNotAllowed',
}

export const problemText = createProblemText(PROBLEM_TEXTS)
