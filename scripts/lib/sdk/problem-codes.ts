import '../../../src/app.ts'
import { problemCatalogue } from '../../../src/platform/problem.ts'

/** Returns the codes of all problems. Importing the app declares them. */
export function allProblemCodes(): string[] {
  return [...problemCatalogue().keys()]
}
