import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { createFontBook, type FontBook, type FontFile, joinFontBooks } from '../../drawing/engine.ts'
import { loadFonts } from '../fonts.ts'
import type { JobFont } from '../types.ts'

const MIB = 1024 * 1024

/**
 * The most bytes of uploaded fonts that one job may open. HarfBuzz keeps a copy of each in its memory of at most 2 GiB.
 */
export const OPENED_BYTES = 96 * MIB
/** The least that a font counts for, because HarfBuzz has data of its own about each. */
const LEAST_BYTES = MIB / 4

/** Books stay open between jobs with their laid-out texts, so that the next save of a design is fast. */
const KEPT_BOOKS = 6
const KEPT_BYTES = 48 * MIB

/** The copies of HarfBuzz are collected after this many bytes of fonts were closed. */
const COLLECTED_BYTES = 32 * MIB

/** The uploaded fonts of a job are larger in total than `OPENED_BYTES`. */
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
 * Works with the uploaded fonts of a job before the installed ones, as one book. Equal fonts share a book for as long
 * as it is cached. A file is read when a text first needs it.
 *
 * @throws `TooManyFontBytes`; Error if a file does not have its hash
 */
export function withBook<Result>(fonts: readonly JobFont[], work: (book: FontBook) => Result): Result {
  if (fonts.length === 0) return work(installedBook)
  const key = JSON.stringify(fonts.map(({ family, weight, style, sha256 }) => [family, weight, style, sha256]))
  const open = books.get(key) ?? openBook(fonts)
  try {
    return work(open.book)
  } finally {
    // Set again with its present size, because the job may have opened more files. A book that is too large is not
    // kept.
    books.delete(key)
    books.set(key, open, { size: open.bytes + 1 })
    if (!books.has(key)) drop(open.bytes)
  }
}

function openBook(fonts: readonly JobFont[]): OpenBook {
  const open = { bytes: 0 }
  const toFile = ({ family, weight, style, sha256, path }: JobFont): FontFile => ({
    ...{ family, weight, style, scripts: [] },
    // The file states which characters it has.
    ranges: [[0, 0x10ffff]],
    load: () => {
      const bytes = readFileSync(path)
      if (hash('sha256', bytes) !== sha256) throw new Error(`The file ${sha256} is damaged: its SHA-256 is another`)
      open.bytes += Math.max(bytes.length, LEAST_BYTES)
      if (open.bytes > OPENED_BYTES) throw new TooManyFontBytes()
      return { bytes, sha256 }
    },
  })
  return Object.assign(open, { book: joinFontBooks(createFontBook(fonts.map(toFile)), installedBook) })
}

/**
 * HarfBuzz frees its copy of a font when V8 collects the object that represents it. V8 does not know its size, so it
 * must be told to collect.
 */
function drop(bytes: number): void {
  droppedBytes += bytes
  if (droppedBytes < COLLECTED_BYTES) return
  droppedBytes = 0
  // After the reply to the job.
  setImmediate(() => globalThis.gc?.())
}
