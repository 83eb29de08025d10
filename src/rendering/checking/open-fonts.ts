import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { createFontBook, type FontBook, type FontFile, joinFontBooks } from '../../drawing/engine.ts'
import { loadFonts } from '../fonts.ts'
import type { JobFont } from '../types.ts'

const MIB = 1024 * 1024

/** Own fonts that one job may open, in bytes. HarfBuzz keeps a copy of each in its memory, which has 2 GiB at most. */
export const OPENED_BYTES = 96 * MIB
/** What is counted for a small font: HarfBuzz's own data about it. */
const LEAST_BYTES = MIB / 4

/** Books stay open between jobs with what was laid out in them, so that the next save of a design is fast. */
const KEPT_BOOKS = 6
const KEPT_BYTES = 48 * MIB

/** After so many bytes of fonts were let go, HarfBuzz's copies are collected. */
const COLLECTED_BYTES = 32 * MIB

/** The own fonts that a job needs are larger together than `OPENED_BYTES`. */
export class TooManyFontBytes extends Error {
  override readonly name = 'TooManyFontBytes'
}

interface OpenBook {
  book: FontBook
  /** Of the own fonts that a text has needed so far. */
  bytes: number
}

/** The installed fonts. */
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
 * Works with the own fonts of a job before the installed ones, as one book. Equal fonts give the same book again, for as
 * long as there is room. A file is read when a text first needs it.
 *
 * @throws `TooManyFontBytes`; Error for a file of other bytes than its hash says
 */
export function withBook<Result>(fonts: readonly JobFont[], work: (book: FontBook) => Result): Result {
  if (fonts.length === 0) return work(installedBook)
  const key = JSON.stringify(fonts.map(({ family, weight, style, sha256 }) => [family, weight, style, sha256]))
  const open = books.get(key) ?? openBook(fonts)
  try {
    return work(open.book)
  } finally {
    // Set anew, as more of its files may be open now. One that has no room is not kept.
    books.delete(key)
    books.set(key, open, { size: open.bytes + 1 })
    if (!books.has(key)) drop(open.bytes)
  }
}

function openBook(fonts: readonly JobFont[]): OpenBook {
  const open = { bytes: 0 }
  const toFile = ({ family, weight, style, sha256, path }: JobFont): FontFile => ({
    ...{ family, weight, style, scripts: [] },
    // What it holds is read from the file.
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

/** HarfBuzz's copy of a font is freed when the object that stands for it is collected, and V8 sees no size in that. */
function drop(bytes: number): void {
  droppedBytes += bytes
  if (droppedBytes < COLLECTED_BYTES) return
  droppedBytes = 0
  // After the answer to the job.
  setImmediate(() => globalThis.gc?.())
}
