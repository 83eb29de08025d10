import type { Trx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import type { FontInfo } from './inspection.ts'
import { fontProblems } from './problems.ts'
import { countFonts, type Font, findFontByContent, insertFont, lockUploads } from './store.ts'

/** The largest file that is accepted. */
export const MAX_FONT_BYTES = 16 * 1024 * 1024

export const MAX_FONTS = 200

/**
 * Adds a font whose bytes the storage has already taken over, or answers the owner's font with the same bytes.
 *
 * @throws `too_many_fonts`
 */
export async function addFont(
  trx: Trx,
  { ownerId, info, now }: { ownerId: string; info: FontInfo; now: Date },
): Promise<{ font: Font; created: boolean }> {
  // Counting and adding are one step: without this, uploads at the same moment would go beyond the limit together.
  await lockUploads(trx, ownerId)
  const known = await findFontByContent(trx, ownerId, info.sha256)
  if (known !== undefined) return { font: known, created: false }
  if ((await countFonts(trx, ownerId)) >= MAX_FONTS) throw fontProblems.too_many_fonts()
  const font = { ...info, id: newId('font'), ownerId, createdAt: now }
  await insertFont(trx, font)
  return { font, created: true }
}
