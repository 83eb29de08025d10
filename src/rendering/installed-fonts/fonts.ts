import { createFontBook, type FontBook, type FontFace } from '../../drawing/engine.ts'
import { listFontFiles } from './installed-fonts.ts'

export interface InstalledFonts {
  book: FontBook
  /** Returns the bytes of a face as TrueType. Callers register them under the alias of the face. */
  fileOf(face: FontFace): Uint8Array
}

/**
 * Finds the installed fonts. The function reads only their descriptions, which takes a few milliseconds. A font file is
 * read and unpacked when a text first needs it. The bytes are not cached, because shaping stores a copy.
 */
export function loadFonts(): InstalledFonts {
  const loaders = new Map<string, () => Uint8Array>()
  const book = createFontBook(
    listFontFiles().map((file) => ({
      ...file,
      load() {
        const font = file.load()
        loaders.set(font.sha256, () => file.load().bytes)
        return font
      },
    })),
  )
  return {
    book,
    fileOf(face) {
      const load = loaders.get(face.sha256)
      if (load === undefined) throw new TypeError(`No font file ${face.sha256} in this book`)
      return load()
    },
  }
}
