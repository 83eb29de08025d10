import type { SaveProblem } from './saving-types.ts'

/** The changes cannot be saved. `problem` says why, and what the customer can do. */
export class SaveError extends Error {
  override name = 'SaveError'
  readonly problem: SaveProblem

  constructor(problem: SaveProblem) {
    super(`${problem.code}: ${problem.detail}`, { cause: problem.error })
    this.problem = problem
  }
}
