import { type FontRefusal, Refused } from '../errors.ts'

/**
 * What the maker of a font permits. `installable`: any use. `editable`: editing and printing documents.
 * `preview_and_print`: viewing and printing documents.
 */
export type FontEmbedding = 'installable' | 'editable' | 'preview_and_print'

const RESTRICTED = 0x0002
const PREVIEW_AND_PRINT = 0x0004
const EDITABLE = 0x0008
const NO_SUBSETTING = 0x0100
const BITMAPS_ONLY = 0x0200

/**
 * Reads the embedding permission of a font (fsType in the OpenType table "OS/2"). A print file contains a subset of the
 * outlines. The font is rejected if it forbids embedding, subsets or outlines.
 *
 * @throws {Refused}
 */
export function readEmbedding({ fsType, version }: { fsType: number; version: number }): FontEmbedding {
  // Up to version 2 of the table, a font could set several levels, and the least restrictive one applied. Later
  // versions allow one level, so the most restrictive one applies if a font sets several.
  const isRestricted = (fsType & RESTRICTED) !== 0 && (version > 2 || (fsType & (PREVIEW_AND_PRINT | EDITABLE)) === 0)
  if (isRestricted) {
    throw new Refused<FontRefusal>(
      'font_embedding_not_allowed',
      'The maker of the font does not allow embedding it in documents (restricted licence), but print files must embed their fonts. Ask the maker for a version that may be embedded, or use another font.',
    )
  }
  if ((fsType & NO_SUBSETTING) !== 0) {
    throw new Refused<FontRefusal>(
      'font_subsetting_not_allowed',
      'The maker of the font allows embedding only the whole font, but print files contain only the letters that they use. Ask the maker for a version without this restriction, or use another font.',
    )
  }
  if ((fsType & BITMAPS_ONLY) !== 0) {
    throw new Refused<FontRefusal>(
      'font_outline_embedding_not_allowed',
      'The maker of the font allows embedding only bitmaps, but print files need the outlines. Ask the maker for a version without this restriction, or use another font.',
    )
  }
  if ((fsType & EDITABLE) !== 0) return 'editable'
  return (fsType & PREVIEW_AND_PRINT) !== 0 ? 'preview_and_print' : 'installable'
}
