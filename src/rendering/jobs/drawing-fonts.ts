import { type FontKey, GlobalFonts } from '@napi-rs/canvas'
import { createFontBook, type FontBook, type FontFace, joinFontBooks } from '../../drawing/engine.ts'
import { readVerified } from '../images/read-verified.ts'
import { loadFonts } from '../installed-fonts/fonts.ts'
import type { JobFont } from '../types.ts'

let installed: FontBook | undefined
let current: FontBook | undefined
const registered = new Map<string, FontFace>()

/**
 * Returns the fonts of this process: the installed fonts, and during `withJobFonts` also the uploaded fonts of the
 * owner of the design. When a text is first shaped with a font, the font is registered with Skia under its alias. The
 * environment of the process (`CHILD_ENV`) hides the fonts of the computer.
 */
export function drawingFonts(): FontBook {
  installed ??= openInstalled()
  return current ?? installed
}

/**
 * Calls `draw` with the uploaded fonts of a job in addition to the installed fonts. The uploaded fonts are tried first.
 * After the job, its fonts are removed from Skia, so that the next job cannot use them. A process runs one job at a
 * time.
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
  if (GlobalFonts.families.length > 0)
    throw new Error('Fonts of the computer are visible to Skia, so print files would depend on the computer')
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
  /** Removes the fonts that were registered through `book` from Skia. */
  close(): void
}

/** Returns a font book that registers each face with Skia before drawing uses it. */
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

/**
 * Returns the cluster of each glyph of a right-to-left run, from left to right. A cluster is identified by its offset
 * in the text.
 */
export function glyphClusters(alias: string, text: string, spaced: boolean): readonly number[] {
  const face = registered.get(alias)
  return face === undefined ? [] : drawingFonts().shape({ face, text, direction: 'rtl', spaced }).glyphClusters
}
