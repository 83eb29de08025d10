import type { Trx } from '../platform/db/index.ts'
import { fontProblems } from './problems.ts'
import { type FontKey, fontUses } from './store.ts'

/**
 * Deletes a font. A draft that names the font does not change, and its preflight reports `font_unknown`.
 *
 * @throws `font_not_found`, `font_in_use`
 */
export async function deleteFont(trx: Trx, key: FontKey): Promise<void> {
  if (!(await fontUses.lock(trx, key))) throw fontProblems.font_not_found()
  // The lock is needed before this check: a concurrent finalization has then either recorded its use or finds no font.
  if (await fontUses.isUsed(trx, key.id)) throw fontProblems.font_in_use()
  await fontUses.delete(trx, key.id)
}
