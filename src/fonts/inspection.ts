import type { Inspection } from '../platform/uploads/inspection.ts'

/** The media types of stored fonts, with the file extensions of downloads. */
export const FONT_EXTENSIONS = { 'font/ttf': 'ttf', 'font/otf': 'otf' } as const
export type FontMediaType = keyof typeof FONT_EXTENSIONS

/** The media types of uploads. A WOFF or WOFF2 file contains a font of one of the stored types. */
export const UPLOAD_MEDIA_TYPES = ['font/ttf', 'font/otf', 'font/woff', 'font/woff2'] as const

export const FONT_STYLES = ['normal', 'italic'] as const
export type FontStyle = (typeof FONT_STYLES)[number]

/** The embedding permissions (OpenType, "OS/2", fsType) with which the service accepts a font. */
export const FONT_EMBEDDINGS = ['installable', 'editable', 'preview_and_print'] as const
export type FontEmbedding = (typeof FONT_EMBEDDINGS)[number]

/** The properties of a font. Size and hash are those of the stored, unpacked font. */
export interface FontInfo {
  family: string
  /** The weight, from 1 to 1000, as in CSS. */
  weight: number
  style: FontStyle
  /** ISO 15924 codes of the scripts that the font supports. */
  scripts: string[]
  mediaType: FontMediaType
  embedding: FontEmbedding
  bytes: number
  /** SHA-256 of the stored font in hexadecimal. */
  sha256: string
}

type FontRefusal =
  | 'font_type_unsupported'
  | 'font_unreadable'
  | 'font_too_large'
  | 'font_too_complex'
  | 'font_embedding_not_allowed'
  | 'font_subsetting_not_allowed'
  | 'font_outline_embedding_not_allowed'

/**
 * Unpacks and tests a font in another process, with limits of time and memory. Writes the font that is to be stored to
 * `unpackedPath`. A font that makes the process hang or crash is rejected.
 */
export type InspectFont = (
  file: { path: string; unpackedPath: string },
  ownerId: string,
) => Promise<Inspection<FontInfo, FontRefusal>>
