import type { Db } from '../../platform/db/index.ts'
import { Problem } from '../../platform/problem.ts'
import { designProblems } from '../problems.ts'
import { type CheckDeps, type CheckInputs, checkDesign, keyOfInputs } from './check-inputs.ts'

/** Reports that were made before a transaction and are used in it. */
export interface Checks {
  /**
   * Returns the preflight report of these inputs as JSON.
   *
   * @throws `NotChecked` if there is no report of these inputs; `withChecks` then makes one and runs the transaction
   *   again; otherwise the error of the check
   */
  reportOf(inputs: CheckInputs): string
}

class NotChecked extends Error {
  override readonly name = 'NotChecked'
  readonly inputs: CheckInputs

  constructor(inputs: CheckInputs) {
    super('these inputs must be checked before the transaction')
    this.inputs = inputs
  }
}

/**
 * Number of runs of the transaction. Each run after the first means that the design, its product, images or fonts
 * changed during the check.
 */
const ATTEMPTS = 5

/**
 * Runs a transaction that needs preflight reports. Another process makes a report, which may take seconds, so it is
 * made before the transaction. If the transaction then finds that the inputs of the report have changed, it is rolled
 * back, a new report is made, and the transaction runs again.
 *
 * @param expected reads the inputs that the transaction will probably need; undefined if it needs no report. Its
 *   problems are ignored, because the transaction will find them too
 * @param work one transaction, without effects outside of it
 * @throws errors of the check (see `checkDesign`) if the transaction uses the report; `renderer_busy` if the inputs
 *   change in every attempt
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
  const detail = 'Other requests keep changing the design, its product, images or fonts.'
  throw designProblems.renderer_busy({ detail, headers: { 'Retry-After': '2' } })
}
