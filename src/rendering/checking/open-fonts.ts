import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { createFontBook, type FontBook, type FontFile, joinFontBooks } from '../../drawing/engine.ts'
import { loadFonts } from '../installed-fonts/fonts.ts'
import { withPoolMemory } from '../pool/pool-memory.ts'
import type { JobFont } from '../types.ts'

const MIB = 1024 * 1024

/**
 * The most bytes of uploaded fonts that one job may open. HarfBuzz copies each font into its memory, which has at most
 * 2 GiB.
 */
export const OPENED_BYTES = 96 * MIB
/** A font counts as at least this many bytes, because HarfBuzz also stores data of its own for each font. */
const LEAST_BYTES = MIB / 4

/**
 * Font books stay open between jobs, with the layouts that they have cached, so that the next save of a design is fast.
 */
const KEPT_BOOKS = 6
const KEPT_BYTES = 16 * MIB
/** A process needs so many times the bytes of the fonts that it opens, by measurement. */
const COPIES_OF_FONTS = 4

/**
 * When closed fonts have this many bytes in total, a garbage collection is requested to free their copies in HarfBuzz.
 */
const COLLECTED_BYTES = 32 * MIB

/** The error for a job whose uploaded fonts are larger in total than `OPENED_BYTES`. */
export class TooManyFontBytes extends Error {
  override readonly name = 'TooManyFontBytes'
}

interface OpenBook {
  book: FontBook
  /** Total size of the uploaded fonts that texts have needed so far. */
  bytes: number
}

export const installedBook = loadFonts().book

let droppedBytes = 0

const books = new LRUCache<string, OpenBook>({
  max: KEPT_BOOKS,
  maxSize: KEPT_BYTES,
  dispose: ({ bytes }, _key, reason) => {
    if (reason === 'evict') drop(bytes)
  },
})

/**
 * Calls `work` with a font book of the uploaded fonts of a job and the installed fonts. Jobs with equal fonts share a
 * cached book. A file is read when a text first needs it. Fonts that are too large for the cache claim memory of the pool.
 *
 * @throws `TooManyFontBytes` if the job needs too many fonts
 * @throws Error if the content of a file does not match its hash
 */
export async function withBook<Result>(fonts: readonly JobFont[], work: (book: FontBook) => Result): Promise<Result> {
  if (fonts.length === 0) return work(installedBook)
  // A missing file is an error only if a text needs it.
  const sizes = await Promise.all(
    fonts.map(({ path }) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  const bytes = Math.min(
    OPENED_BYTES,
    sizes.reduce((sum, size) => sum + size, 0),
  )
  const workWithFonts = async () => openAndWork(fonts, work)
  return bytes > KEPT_BYTES ? withPoolMemory(COPIES_OF_FONTS * bytes, workWithFonts) : workWithFonts()
}

function openAndWork<Result>(fonts: readonly JobFont[], work: (book: FontBook) => Result): Result {
  const key = JSON.stringify(fonts.map(({ family, weight, style, sha256 }) => [family, weight, style, sha256]))
  const open = books.get(key) ?? openBook(fonts)
  try {
    return work(open.book)
  } finally {
    // The job may have opened more files, so the entry is set again with its current size. The cache evicts a book that
    // is too large.
    books.delete(key)
    books.set(key, open, { size: open.bytes + 1 })
    if (!books.has(key)) drop(open.bytes)
  }
}

function openBook(fonts: readonly JobFont[]): OpenBook {
  const open = { bytes: 0 }
  const toFile = ({ family, weight, style, sha256, path }: JobFont): FontFile => ({
    ...{ family, weight, style, scripts: [] },
    // The ranges include all code points. The file determines which characters it has.
    ranges: [[0, 0x10ffff]],
    load: () => {
      const bytes = readFileSync(path)
      if (hash('sha256', bytes) !== sha256)
        throw new Error(`The font file ${sha256} is damaged: its content has another SHA-256`)
      open.bytes += Math.max(bytes.length, LEAST_BYTES)
      if (open.bytes > OPENED_BYTES) throw new TooManyFontBytes()
      return { bytes, sha256 }
    },
  })
  return Object.assign(open, { book: joinFontBooks(createFontBook(fonts.map(toFile)), installedBook) })
}

/**
 * Requests a garbage collection if many bytes of fonts were closed. HarfBuzz frees its copy of a font when V8 collects
 * the object that represents the font. V8 does not know the size of the copy, so it would collect the object too late.
 */
function drop(bytes: number): void {
  droppedBytes += bytes
  if (droppedBytes < COLLECTED_BYTES) return
  droppedBytes = 0
  // The collection runs after the reply, so that the client does not wait for it.
  setImmediate(() => globalThis.gc?.())
}
