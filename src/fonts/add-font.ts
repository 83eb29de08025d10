import type { Trx } from '../platform/db/index.ts'
import { httpProblems } from '../platform/http/problems.ts'
import { newId } from '../platform/ids.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { FontInfo, InspectFont } from './inspection.ts'
import { fontProblems } from './problems.ts'
import { countFonts, type Font, findFontByContent, insertFont, lockUploads } from './store.ts'

/** The largest file that is accepted. */
export const MAX_FONT_BYTES = 16 * 1024 * 1024

export const MAX_FONTS = 200

const RETRY_SECONDS = 3

/**
 * Finds out what a received file is, refuses what cannot be printed with, and unpacks the rest.
 *
 * @throws the refusals of `InspectFont`, `service_unavailable`
 */
export async function examineFont(
  inspect: InspectFont,
  file: { path: string; unpackedPath: string },
): Promise<FontInfo> {
  const inspection = await inspect(file)
  if (inspection.outcome === 'accepted') return inspection.info
  if (inspection.outcome === 'busy') {
    throw httpProblems.service_unavailable({
      detail: 'Too many files are being examined at the moment.',
      headers: { 'Retry-After': String(RETRY_SECONDS) },
    })
  }
  throw fontProblems[inspection.outcome](inspection.detail)
}

/**
 * Adds a font whose bytes the storage has already taken over, or answers the owner's font with the same bytes.
 *
 * @throws `too_many_fonts`
 */
export async function addFont(
  trx: Trx,
  storage: Pick<Storage, 'hold'>,
  { ownerId, info, now }: { ownerId: string; info: FontInfo; now: Date },
): Promise<{ font: Font; created: boolean }> {
  // Counting and adding are one step: without this, uploads at the same moment would go beyond the limit together.
  await lockUploads(trx, ownerId)
  const known = await findFontByContent(trx, ownerId, info.sha256)
  if (known !== undefined) return { font: known, created: false }
  if ((await countFonts(trx, ownerId)) >= MAX_FONTS) throw fontProblems.too_many_fonts()
  await storage.hold(trx, [info.sha256])
  const font = { ...info, id: newId('font'), ownerId, createdAt: now }
  await insertFont(trx, font)
  return { font, created: true }
}
