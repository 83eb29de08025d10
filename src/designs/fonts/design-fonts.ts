import {
  type DesignDocument,
  type FontFamily,
  type FontStyleName,
  layerFonts,
  listFamilies,
  lockedFamilies,
  ownStyleFor,
} from '../../drawing/index.ts'
import { type Font, findFontsOfFamilies, findFontsUsed } from '../../fonts/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { JobFont } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'

/** An uploaded font, identified by its content, with everything that layout and drawing need. */
export interface OwnFont {
  family: string
  weight: number
  style: FontStyleName
  /** Hexadecimal. Names the file in the storage. */
  sha256: string
}

export interface FontDeps {
  families: readonly FontFamily[]
  storage: Pick<Storage, 'localPath'>
}

/** Limits of the uploaded fonts of one document. Each process that lays out or draws the document opens all of them. */
export const OWN_FONT_LIMITS = {
  families: 16,
  /** Total size of the files that the texts use. */
  bytes: 64 * 1024 * 1024,
} as const

/**
 * Finds the uploaded fonts of an account that the texts of the document use, the newest first. Families
 * of locked texts have none.
 *
 * @param uploadedUntil leaves out fonts that were uploaded later
 * @throws `too_many_fonts` if they exceed `OWN_FONT_LIMITS`
 */
export async function findOwnFonts(
  db: Db | Trx,
  ownerId: string,
  document: DesignDocument,
  { uploadedUntil }: { uploadedUntil?: Date } = {},
): Promise<Font[]> {
  const named = new Set(fontsOf(document).map(({ family }) => family))
  const families = [...named.difference(lockedFamilies(document))]
  const all = await findFontsOfFamilies(db, ownerId, families)
  // Later uploads are removed before the selection, because one of them may have a style that is nearer to the
  // requested one.
  const found = uploadedUntil === undefined ? all : all.filter(({ createdAt }) => createdAt <= uploadedUntil)
  const count = new Set(found.map(({ family }) => family)).size
  if (count > OWN_FONT_LIMITS.families) {
    throw designProblems.too_many_fonts({
      detail: `The texts of the document name ${count} uploaded families; at most ${OWN_FONT_LIMITS.families} are allowed.`,
      members: { families: count, limit: OWN_FONT_LIMITS.families },
    })
  }
  // Only the requested styles of a family are opened, so only they count.
  const used = selectUsed({ families: [] }, document, found)
  const bytes = used.reduce((sum, font) => sum + font.bytes, 0)
  if (bytes > OWN_FONT_LIMITS.bytes) {
    throw designProblems.too_many_fonts({
      detail: `The uploaded fonts of the texts in the document have ${bytes} bytes in total; at most ${OWN_FONT_LIMITS.bytes} are allowed.`,
      members: { bytes, limitBytes: OWN_FONT_LIMITS.bytes },
    })
  }
  return used
}

/** Finds the fonts with which a design was finalized. They cannot be deleted until the design is archived. */
export function findRetainedFonts(db: Db | Trx, designId: string): Promise<Font[]> {
  return findFontsUsed(db, designId)
}

/**
 * Selects the fonts that the texts of the document can use: for each requested style, the one nearest style of its
 * family.
 */
export function selectUsed<Own extends OwnFont>(
  { families: installed }: Pick<FontDeps, 'families'>,
  document: DesignDocument,
  own: readonly Own[],
): Own[] {
  const families = listFamilies(own.map((font) => ({ ...font, scripts: [] })))
  const styles = fontsOf(document).map((font) => ({
    family: font.family,
    style: ownStyleFor(families, installed, font),
  }))
  return own.filter((font) =>
    styles.some(
      ({ family, style }) => family === font.family && style?.weight === font.weight && style.style === font.style,
    ),
  )
}

function fontsOf({ placements }: DesignDocument): ReturnType<typeof layerFonts> {
  return placements.flatMap(({ layers }) => layers.flatMap(layerFonts))
}

export function jobFontsOf(storage: FontDeps['storage'], own: readonly OwnFont[]): Promise<JobFont[]> {
  return Promise.all(
    own.map(async ({ family, weight, style, sha256 }) => {
      return { family, weight, style, sha256, path: await storage.localPath(sha256) }
    }),
  )
}

/** Selects the members of a font that are needed to draw with it after its row is deleted. */
export function toOwnFont({ family, weight, style, sha256 }: OwnFont): OwnFont {
  return { family, weight, style, sha256 }
}
