import {
  type DesignDocument,
  type FontFamily,
  type FontStyleName,
  layerFonts,
  listFamilies,
  ownStyleFor,
} from '../../drawing/index.ts'
import { type Font, findFontsOfFamilies, findFontsUsed } from '../../fonts/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { JobFont } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'

/** A font file of a design's owner, by content: all that laying out and drawing need to know of it. */
export interface OwnFont {
  family: string
  weight: number
  style: FontStyleName
  /** Hex: its name in the storage. */
  sha256: string
}

export interface FontDeps {
  /** The installed families. */
  families: readonly FontFamily[]
  storage: Pick<Storage, 'localPath'>
}

/** What the uploaded fonts of one document may come to. Each is opened by every process that lays out or draws the document. */
export const OWN_FONT_LIMITS = {
  families: 16,
  /** Of the files that its texts are set in, together. */
  bytes: 64 * 1024 * 1024,
} as const

/**
 * Finds the fonts that a person has uploaded and that the document's texts are set in, as they are now, the newest first.
 *
 * @param uploadedUntil leaves out fonts that were uploaded later
 * @throws `too_many_fonts` where they are more, or larger, than `OWN_FONT_LIMITS` allows
 */
export async function findOwnFonts(
  db: Db | Trx,
  ownerId: string,
  document: DesignDocument,
  { uploadedUntil }: { uploadedUntil?: Date } = {},
): Promise<Font[]> {
  const families = [...new Set(fontsOf(document).map(({ family }) => family))]
  const all = await findFontsOfFamilies(db, ownerId, families)
  // Before the nearest styles are chosen: a later upload may have a nearer one.
  const found = uploadedUntil === undefined ? all : all.filter(({ createdAt }) => createdAt <= uploadedUntil)
  const named = new Set(found.map(({ family }) => family)).size
  if (named > OWN_FONT_LIMITS.families) {
    throw designProblems.too_many_fonts({
      detail: `The texts of the document name ${named} uploaded families; at most ${OWN_FONT_LIMITS.families} are allowed.`,
      members: { families: named, limit: OWN_FONT_LIMITS.families },
    })
  }
  // Only these are opened: of a family with many styles most are not asked for.
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

/** The fonts of its owner that a finalized design was made with, and that it keeps from being deleted until it is archived. */
export function findRetainedFonts(db: Db | Trx, designId: string): Promise<Font[]> {
  return findFontsUsed(db, designId)
}

/** Those of a person's fonts that the document's texts can be set in: the one style of each family that a text asks for. */
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

/** Where the renderer finds a person's fonts. */
export function jobFontsOf(storage: FontDeps['storage'], own: readonly OwnFont[]): Promise<JobFont[]> {
  return Promise.all(
    own.map(async ({ family, weight, style, sha256 }) => {
      return { family, weight, style, sha256, path: await storage.localPath(sha256) }
    }),
  )
}

/** What is remembered of fonts, so that they can be drawn with after their rows are gone. */
export function toOwnFont({ family, weight, style, sha256 }: OwnFont): OwnFont {
  return { family, weight, style, sha256 }
}
