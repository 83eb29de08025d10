import { GlobalFonts } from '@napi-rs/canvas'
import type { FontBook, FontFace } from '../../drawing/index.ts'
import { loadFonts } from '../fonts.ts'

let fonts: FontBook | undefined
const registered = new Map<string, FontFace>()

/**
 * The installed fonts of this process, each made known to Skia, under its alias, when a text is first shaped with it.
 *
 * Skia sees no other fonts: those of the machine are kept out by the environment of the process.
 */
export function drawingFonts(): FontBook {
  fonts ??= openFonts()
  return fonts
}

function openFonts(): FontBook {
  if (GlobalFonts.families.length > 0) throw new Error('Fonts of the machine are visible; the files would depend on it')
  const { book, fileOf } = loadFonts()
  const register = (face: FontFace) => {
    if (registered.has(face.alias)) return
    if (GlobalFonts.register(Buffer.from(fileOf(face)), face.alias) === null) {
      throw new Error(`Skia cannot read the font ${face.family} (${face.sha256})`)
    }
    registered.set(face.alias, face)
  }
  return {
    families: book.families,
    facesFor: (request) => book.facesFor(request),
    shape(run) {
      register(run.face)
      return book.shape(run)
    },
  }
}

/** For each glyph of a text in a right-to-left font run, left to right, the offset of the characters it stands for. */
export function glyphClusters(alias: string, text: string, spaced: boolean): readonly number[] {
  const face = registered.get(alias)
  return face === undefined ? [] : drawingFonts().shape({ face, text, direction: 'rtl', spaced }).glyphClusters
}
