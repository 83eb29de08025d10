import { type FontKey, GlobalFonts } from '@napi-rs/canvas'
import { createFontBook, type FontBook, type FontFace, joinFontBooks } from '../../drawing/engine.ts'
import { loadFonts } from '../fonts.ts'
import { readVerified } from '../images/read-verified.ts'
import type { JobFont } from '../types.ts'

let installed: FontBook | undefined
let current: FontBook | undefined
const registered = new Map<string, FontFace>()

/**
 * The fonts of this process, each made known to Skia, under its alias, when a text is first shaped with it: the installed
 * ones, and during a job of `withJobFonts` those of the design's owner.
 *
 * Skia sees no other fonts: those of the machine are kept out by the environment of the process.
 */
export function drawingFonts(): FontBook {
  installed ??= openInstalled()
  return current ?? installed
}

/**
 * Draws with a person's own fonts before the installed ones. A process has one job at a time; when this one is over, its
 * fonts are taken from Skia again, so that nothing of them is within reach of the next.
 */
export async function withJobFonts<T>(fonts: readonly JobFont[] = [], draw: () => Promise<T>): Promise<T> {
  if (fonts.length === 0) return draw()
  const installed = drawingFonts()
  const own = await openOwn(fonts)
  current = joinFontBooks(own.book, installed)
  try {
    return await draw()
  } finally {
    current = undefined
    own.close()
  }
}

function openInstalled(): FontBook {
  if (GlobalFonts.families.length > 0) throw new Error('Fonts of the machine are visible; the files would depend on it')
  const { book, fileOf } = loadFonts()
  return registering(book, fileOf).book
}

async function openOwn(fonts: readonly JobFont[]): Promise<Registering> {
  const files = await Promise.all(fonts.map(async (font) => ({ ...font, bytes: await readVerified(font) })))
  const bytesOf = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]))
  const book = createFontBook(
    files.map(({ family, weight, style, sha256, bytes }) => ({
      ...{ family, weight, style, scripts: [], ranges: [[0, 0x10ffff]] },
      load: () => ({ sha256, bytes }),
    })),
  )
  return registering(book, ({ sha256 }) => bytesOf.get(sha256) ?? new Uint8Array())
}

interface Registering {
  book: FontBook
  /** Takes from Skia what was registered. */
  close(): void
}

/** Has Skia know a face before anything is drawn with it. */
function registering(book: FontBook, fileOf: (face: FontFace) => Uint8Array): Registering {
  const keys = new Map<string, FontKey>()
  const register = (face: FontFace) => {
    if (registered.has(face.alias)) return
    const key = GlobalFonts.register(Buffer.from(fileOf(face)), face.alias)
    if (key === null) throw new Error(`Skia cannot read the font ${face.family} (${face.sha256})`)
    keys.set(face.alias, key)
    registered.set(face.alias, face)
  }
  return {
    book: {
      families: book.families,
      facesFor: (request) => book.facesFor(request),
      shape(run) {
        register(run.face)
        return book.shape(run)
      },
    },
    close() {
      GlobalFonts.removeBatch([...keys.values()])
      for (const alias of keys.keys()) registered.delete(alias)
    },
  }
}

/** For each glyph of a text in a right-to-left font run, left to right, the offset of the characters it stands for. */
export function glyphClusters(alias: string, text: string, spaced: boolean): readonly number[] {
  const face = registered.get(alias)
  return face === undefined ? [] : drawingFonts().shape({ face, text, direction: 'rtl', spaced }).glyphClusters
}
