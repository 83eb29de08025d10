import type { Db } from '../../platform/db/index.ts'
import { Problem } from '../../platform/problem.ts'
import { designProblems } from '../problems.ts'
import { type CheckDeps, type CheckInputs, checkDesign, keyOfInputs } from './check-inputs.ts'

/** Reports that were made before a transaction, for work in it. */
export interface Checks {
  /**
   * The preflight report of these inputs as JSON.
   *
   * @throws `NotChecked`, for `withChecks` to make it and to begin again; what checking them threw
   */
  reportOf(inputs: CheckInputs): string
}

class NotChecked extends Error {
  override readonly name = 'NotChecked'
  readonly inputs: CheckInputs

  constructor(inputs: CheckInputs) {
    super('These inputs have to be checked before the transaction')
    this.inputs = inputs
  }
}

/** Each time but the first, somebody changed the design, its product, images or fonts while it was checked. */
const ATTEMPTS = 5

/**
 * Runs a transaction that needs preflight reports. A report is made by another process and may take seconds, so no
 * transaction waits for it: what will probably be asked for is checked before, and the transaction finds out whether all
 * that the report depends on is still the same. If not, it is given up, the report made, and all begun again.
 *
 * @param expected reads what the work will ask for; undefined where it will ask for nothing. Its problems are left to the
 *   work, which comes upon them as well
 * @param work one transaction, without effects outside of it
 * @throws what checking throws (see `checkDesign`) where the work asks for it; `renderer_busy` when the inputs are others
 *   each time
 */
export async function withChecks<Result>(
  deps: CheckDeps & { database: { db: Db } },
  expected: (db: Db) => Promise<CheckInputs | undefined>,
  work: (checks: Checks) => Promise<Result>,
): Promise<Result> {
  const reports = new Map<string, PromiseSettledResult<string>>()
  const check = async (inputs: CheckInputs): Promise<void> => {
    const [report] = await Promise.allSettled([checkDesign(deps, inputs)])
    reports.set(keyOfInputs(inputs), report)
  }
  const reportOf = (inputs: CheckInputs): string => {
    const report = reports.get(keyOfInputs(inputs))
    if (report === undefined) throw new NotChecked(inputs)
    if (report.status === 'rejected') throw report.reason
    return report.value
  }
  const first = await expected(deps.database.db).catch((error: unknown) => {
    if (error instanceof Problem) return undefined
    throw error
  })
  if (first !== undefined) await check(first)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await work({ reportOf })
    } catch (error) {
      if (!(error instanceof NotChecked)) throw error
      await check(error.inputs)
    }
  }
  const detail = 'The design, its product, images or fonts are being changed.'
  throw designProblems.renderer_busy({ detail, headers: { 'Retry-After': '2' } })
}
