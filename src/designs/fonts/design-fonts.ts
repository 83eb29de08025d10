import {
  type DesignDocument,
  type FontFamily,
  type FontStyleName,
  listFamilies,
  ownStyleFor,
  type TextLayer,
} from '../../drawing/index.ts'
import { type Font, findFontsOfFamilies, findFontsUsed } from '../../fonts/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { JobFont } from '../../rendering/index.ts'

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

/** The fonts of a person that a document names as they are now, the newest first. */
export function findOwnFonts(db: Db | Trx, ownerId: string, document: DesignDocument): Promise<Font[]> {
  return findFontsOfFamilies(db, ownerId, [...new Set(textsOf(document).map(({ fontFamily }) => fontFamily))])
}

/** The fonts of its owner that a finalized design was made with, and that it keeps from being deleted until it is archived. */
export function findKeptFonts(db: Db | Trx, designId: string): Promise<Font[]> {
  return findFontsUsed(db, designId)
}

/** Those of a person's fonts that the document's texts can be set in: the one style of each family that a text asks for. */
export function selectUsed<Own extends OwnFont>(
  { families: installed }: Pick<FontDeps, 'families'>,
  document: DesignDocument,
  own: readonly Own[],
): Own[] {
  const families = listFamilies(own.map((font) => ({ ...font, scripts: [] })))
  const styles = textsOf(document).map((text) => ({
    family: text.fontFamily,
    style: ownStyleFor(families, installed, {
      family: text.fontFamily,
      weight: text.fontWeight,
      style: text.fontStyle,
    }),
  }))
  return own.filter((font) =>
    styles.some(
      ({ family, style }) => family === font.family && style?.weight === font.weight && style.style === font.style,
    ),
  )
}

function textsOf(document: DesignDocument): TextLayer[] {
  const layers = document.placements.flatMap((placement) => placement.layers)
  return layers.filter((layer) => layer.type === 'text')
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
