import type { Db } from '../../platform/db/index.ts'
import type { CheckDeps, CheckInputs } from '../checking/check-inputs.ts'
import type { SubmittedDocument } from '../checking/submitted-document.ts'
import { withChecks } from '../checking/with-checks.ts'
import { rendererBusy } from '../problems.ts'
import { type Change, changeDesign, inputsOfChange, requireChangeable, type SaveDeps } from '../save-design.ts'
import type { DesignChangesBody } from '../schemas.ts'
import { type Design, findDesign } from '../store.ts'

export type EditDeps = CheckDeps & { database: { db: Db } } & Pick<SaveDeps, 'quota'>

/** The design to change, and which version of it. */
export type Target = Pick<Change, 'key' | 'requireVersion' | 'now'>

export interface PlannedChange {
  changes: Omit<DesignChangesBody, 'document'>
  document?: SubmittedDocument
  isRestoration?: boolean
}

class Outdated extends Error {
  override readonly name = 'Outdated'
}

/** Each attempt after the first means that another request changed the design. */
const ATTEMPTS = 5

/**
 * Changes a draft in a way that depends on its present content. The change is planned outside of a transaction, and
 * planned again if another request has changed the design in the meantime.
 *
 * @param plan returns undefined if there is nothing to change
 * @returns the changed design, or the present one if there was nothing to change
 * @throws what `changeDesign` and `plan` throw; `renderer_busy` if the design changes in every attempt
 */
export async function changeFrom(
  deps: EditDeps,
  target: Target,
  plan: (design: Design) => Promise<PlannedChange | undefined>,
): Promise<Design> {
  const { db } = deps.database
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const design = requireChangeable(await findDesign(db, target.key), target.requireVersion, target.now())
    const planned = await plan(design)
    if (planned === undefined) return design
    try {
      return await save(deps, target, planned, design.revision)
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
    }
  }
  const detail = 'The design is being changed by other requests.'
  throw rendererBusy(detail)
}

function save(deps: EditDeps, target: Target, planned: PlannedChange, revision: number): Promise<Design> {
  const { database, quota } = deps
  const requireVersion: Change['requireVersion'] = (current, now) => {
    target.requireVersion(current, now)
    if (current.revision !== revision) throw new Outdated()
  }
  const change: Change = { ...target, ...planned, requireVersion }
  const expected = (db: Db): Promise<CheckInputs> => inputsOfChange(db, change)
  return withChecks(deps, expected, (checks) =>
    database.db.transaction().execute((trx) => changeDesign(trx, { ...checks, quota }, change)),
  )
}
