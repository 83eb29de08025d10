import type { Trx } from '../platform/db/index.ts'
import { fontProblems } from './problems.ts'
import { type FontKey, fontUses } from './store.ts'

/**
 * Deletes a font. Drafts that name it keep the name, and their preflight says that there is no such family.
 *
 * @throws `font_not_found`, `font_in_use`
 */
export async function deleteFont(trx: Trx, key: FontKey): Promise<void> {
  if (!(await fontUses.lock(trx, key))) throw fontProblems.font_not_found()
  // Asked under the lock: a finalization at the same moment has either recorded its use, or finds the font gone.
  if (await fontUses.isUsed(trx, key.id)) throw fontProblems.font_in_use()
  await fontUses.delete(trx, key.id)
}
