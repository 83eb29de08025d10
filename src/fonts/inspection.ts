import type { Inspection } from '../platform/uploads/inspection.ts'

/** The kinds of files that are kept, with the extension each is handed out under. */
export const FONT_EXTENSIONS = { 'font/ttf': 'ttf', 'font/otf': 'otf' } as const
export type FontMediaType = keyof typeof FONT_EXTENSIONS

/** What may be uploaded: WOFF and WOFF2 wrap one of the kinds that are kept. */
export const UPLOAD_MEDIA_TYPES = ['font/ttf', 'font/otf', 'font/woff', 'font/woff2'] as const

export const FONT_STYLES = ['normal', 'italic'] as const
export type FontStyle = (typeof FONT_STYLES)[number]

/** What the maker of a font allows (OpenType, "OS/2", fsType). What allows less is refused. */
export const FONT_EMBEDDINGS = ['installable', 'editable', 'preview_and_print'] as const
export type FontEmbedding = (typeof FONT_EMBEDDINGS)[number]

/** What reading a font found out about it. Size and hash are those of the font as it is kept: unpacked. */
export interface FontInfo {
  family: string
  /** 1 to 1000, as in CSS. */
  weight: number
  style: FontStyle
  /** ISO 15924 codes. */
  scripts: string[]
  mediaType: FontMediaType
  embedding: FontEmbedding
  bytes: number
  /** Hex. */
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
 * Unpacks and tries a font outside this process, within bounds of time and memory, and writes it, as it is to be kept,
 * to `unpackedPath`. What hangs or crashes whoever reads it is refused, and the service goes on.
 */
export type InspectFont = (
  file: { path: string; unpackedPath: string },
  ownerId: string,
) => Promise<Inspection<FontInfo, FontRefusal>>
