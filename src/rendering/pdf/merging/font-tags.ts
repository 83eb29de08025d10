import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from '@cantoo/pdf-lib'

/**
 * Gives subsets of fonts distinct names. Every print file names its subset `AAAAAA+Inter-Regular`, although the glyphs
 * differ, and the subsets of one file must have distinct tags (ISO 32000-1, section 9.6.4).
 */
export interface FontTags {
  /** Changes the names in a font or font descriptor whose references are copied. Returns its tag. */
  apply(object: PDFObject): string | undefined
  /** Remembers the tag of a copied object for the fonts that refer to it. */
  note(ref: PDFRef, tag: string | undefined): void
}

const FONT_FILES = ['FontFile', 'FontFile2', 'FontFile3'].map((key) => PDFName.of(key))
const NAMES = ['FontName', 'BaseFont'].map((key) => PDFName.of(key))
const SUBSET = /^\/[A-Z]{6}\+/

export function createFontTags(): FontTags {
  const tags = new Map<PDFRef, string>()

  /** A descriptor has the tag of its font program, a CID font that of its descriptor, a composite font that of its CID font. */
  const tagFor = (dict: PDFDict): string | undefined => {
    for (const key of FONT_FILES) {
      const program = dict.get(key)
      if (program instanceof PDFRef) return tagOfNumber(program.objectNumber)
    }
    const descendants = dict.get(PDFName.of('DescendantFonts'))
    const first = descendants instanceof PDFArray ? descendants.get(0) : dict.get(PDFName.of('FontDescriptor'))
    return first instanceof PDFRef ? tags.get(first) : undefined
  }

  return {
    apply: (object) => {
      const tag = object instanceof PDFDict ? tagFor(object) : undefined
      if (tag === undefined || !(object instanceof PDFDict)) return undefined
      for (const key of NAMES) {
        const name = object.get(key)
        if (name instanceof PDFName && SUBSET.test(name.asString())) {
          object.set(key, PDFName.of(name.asString().replace(SUBSET, `${tag}+`)))
        }
      }
      return tag
    },
    note: (ref, tag) => {
      if (tag !== undefined) tags.set(ref, tag)
    },
  }
}

/** Writes a number as six letters. Each object number below 26^6 has its own. */
function tagOfNumber(number: number): string {
  let tag = ''
  for (let rest = number; tag.length < 6; rest = Math.floor(rest / 26)) {
    tag = String.fromCharCode(65 + (rest % 26)) + tag
  }
  return tag
}
