import { LRUCache } from 'lru-cache'
import {
  createFontBook,
  type DesignDocument,
  type FontBook,
  type FontStyleName,
  joinFontBooks,
  listFamilies,
  ownStyleFor,
  type TextLayer,
} from '../../drawing/index.ts'
import { type Font, findFontsOfFamilies, findFontsUsed } from '../../fonts/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { type JobFont, readVerified } from '../../rendering/index.ts'

/** A font file of a design's owner, by content: all that laying out and drawing need to know of it. */
export interface OwnFont {
  family: string
  weight: number
  style: FontStyleName
  /** Hex: its name in the storage. */
  sha256: string
}

export interface FontDeps {
  /** The installed fonts. */
  fonts: FontBook
  storage: Pick<Storage, 'localPath'>
}

/** What the texts of a design are set in. */
export interface DesignFonts {
  /** The owner's families that the document names, before the installed ones. */
  book: FontBook
  /** The owner's files among them, in the order of the book. */
  own: readonly OwnFont[]
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
  { fonts }: Pick<FontDeps, 'fonts'>,
  document: DesignDocument,
  own: readonly Own[],
): Own[] {
  const families = listFamilies(own.map((font) => ({ ...font, scripts: [] })))
  const styles = textsOf(document).map((text) => ({
    family: text.fontFamily,
    style: ownStyleFor(families, fonts.families, {
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

/** Files are kept as they were read and opened, by content: it does not matter whose they are, who may use them was asked before. */
const CACHED_FILES_BYTES = 64 * 1024 * 1024

/** Books keep what was laid out with them, which grows to this for each: few are kept, as files are opened already. */
const BYTES_OF_TEXTS = 24 * 1024 * 1024
const CACHED_BOOKS_BYTES = 256 * 1024 * 1024

const files = new WeakMap<FontDeps['storage'], LRUCache<string, Uint8Array>>()
const books = new WeakMap<FontBook, LRUCache<string, FontBook>>()

/**
 * Opens a person's fonts together with the installed ones. The same fonts give the same book again, with what it knows of
 * texts that were laid out before, for as long as there is room; a file is read and parsed once for all books and callers.
 * Not to be called while rows are locked: see `withOpenFonts`.
 *
 * @throws `storage_unavailable`
 */
export async function openFonts({ fonts, storage }: FontDeps, own: readonly OwnFont[]): Promise<DesignFonts> {
  const known = findOpenBook({ fonts }, own)
  if (known !== undefined) return { book: known, own }
  const read = await Promise.all(own.map(async (font) => ({ font, bytes: await readOnce(storage, font) })))
  // Somebody else may have opened them meanwhile.
  const book = findOpenBook({ fonts }, own) ?? joinFontBooks(createFontBook(read.map(toFontFile)), fonts)
  const size = read.reduce((total, { bytes }) => total + bytes.length, BYTES_OF_TEXTS)
  booksOver(fonts).set(keyOfFonts(own), book, { size })
  return { book, own }
}

/** The book that `openFonts` gives, if it is open. */
export function findOpenBook({ fonts }: Pick<FontDeps, 'fonts'>, own: readonly OwnFont[]): FontBook | undefined {
  return own.length === 0 ? fonts : booksOver(fonts).get(keyOfFonts(own))
}

/** Equal for fonts that make the same book. */
export function keyOfFonts(own: readonly OwnFont[]): string {
  return JSON.stringify(own.map(({ family, weight, style, sha256 }) => [family, weight, style, sha256]))
}

function booksOver(fonts: FontBook): LRUCache<string, FontBook> {
  const cache = books.get(fonts) ?? new LRUCache({ maxSize: CACHED_BOOKS_BYTES })
  books.set(fonts, cache)
  return cache
}

/** The bytes of a font, one array for all who ask, also at the same time. */
async function readOnce(storage: FontDeps['storage'], { sha256 }: OwnFont): Promise<Uint8Array> {
  const cache =
    files.get(storage) ??
    new LRUCache<string, Uint8Array>({
      maxSize: CACHED_FILES_BYTES,
      sizeCalculation: ({ length }) => length,
      fetchMethod: (wanted) => readFont(storage, wanted),
      // A file that has no room is still read to its end.
      ignoreFetchAbort: true,
    })
  files.set(storage, cache)
  return cache.forceFetch(sha256, {})
}

function toFontFile({ font, bytes }: { font: OwnFont; bytes: Uint8Array }) {
  const { family, weight, style, sha256 } = font
  // What it holds is read from the file, which is at hand.
  const ranges = [[0, 0x10ffff]] as const
  return { family, weight, style, scripts: [], ranges, load: () => ({ bytes, sha256 }) }
}

async function readFont(storage: FontDeps['storage'], sha256: string): Promise<Uint8Array> {
  return readVerified({ path: await storage.localPath(sha256), sha256 })
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
