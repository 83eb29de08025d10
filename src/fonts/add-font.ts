import type { Db, Trx } from '../platform/db/index.ts'
import { newId } from './ids.ts'
import type { FontInfo } from './inspection.ts'
import { fontProblems } from './problems.ts'
import { countFonts, type Font, type FontCount, findFontByContent, insertFont, lockUploads } from './store.ts'

export const MAX_FONT_BYTES = 16 * 1024 * 1024

/** The maximum size of a font in WOFF or WOFF2 after unpacking. */
export const MAX_UNPACKED_BYTES = 30 * 1024 * 1024

/** The limits for the fonts of one account. */
export const ACCOUNT_FONT_LIMITS = {
  fonts: 200,
  /** The total size of the stored, unpacked fonts in bytes. */
  bytes: 256 * 1024 * 1024,
} as const

/**
 * Adds a font whose bytes are in the storage. If the owner already has a font with the same bytes, returns that font.
 *
 * @throws `too_many_fonts`
 */
export async function addFont(
  trx: Trx,
  { ownerId, info, now }: { ownerId: string; info: FontInfo; now: Date },
): Promise<{ font: Font; created: boolean }> {
  // The lock makes counting and adding atomic. Without it, parallel uploads could together exceed the limit.
  await lockUploads(trx, ownerId)
  const known = await findFontByContent(trx, ownerId, info.sha256)
  if (known !== undefined) return { font: known, created: false }
  requireRoom(await countFonts(trx, ownerId), info.bytes)
  const font = { ...info, id: newId('font'), ownerId, createdAt: now }
  await insertFont(trx, font)
  return { font, created: true }
}

/**
 * Checks the limits of the account before the bytes of a font are stored. `addFont` checks them again.
 *
 * @throws `too_many_fonts`
 */
export async function requireFontRoom(db: Db, ownerId: string, { sha256, bytes }: FontInfo): Promise<void> {
  if ((await findFontByContent(db, ownerId, sha256)) !== undefined) return
  requireRoom(await countFonts(db, ownerId), bytes)
}

function requireRoom({ count, bytes }: FontCount, addedBytes: number): void {
  const { fonts, bytes: limitBytes } = ACCOUNT_FONT_LIMITS
  if (count >= fonts) {
    throw fontProblems.too_many_fonts({
      detail: `The account has ${count} fonts; at most ${fonts} are allowed.`,
      members: { limit: fonts },
    })
  }
  if (bytes + addedBytes > limitBytes) {
    throw fontProblems.too_many_fonts({
      detail: `The fonts of the account have ${bytes} bytes unpacked and this font has ${addedBytes}; at most ${limitBytes} are allowed in total.`,
      members: { usedBytes: bytes, limitBytes },
    })
  }
}
