import { type Static, Type } from 'typebox'
import { pageOf } from '../platform/http/pagination.ts'
import { FONT_EMBEDDINGS, FONT_EXTENSIONS, FONT_STYLES, type FontInfo, UPLOAD_MEDIA_TYPES } from './inspection.ts'
import type { Font } from './store.ts'

const closed = { additionalProperties: false } as const

export const FontBody = Type.Object(
  {
    id: Type.String(),
    family: Type.String({ description: 'What `fontFamily` of a text names.' }),
    weight: Type.Integer({ minimum: 1, maximum: 1000 }),
    style: Type.Unsafe<FontInfo['style']>({ type: 'string', enum: FONT_STYLES }),
    scripts: Type.Array(Type.String({ description: 'ISO 15924 code.' })),
    mediaType: Type.Unsafe<FontInfo['mediaType']>({
      type: 'string',
      enum: Object.keys(FONT_EXTENSIONS),
      description: 'Of the font as it is kept: WOFF and WOFF2 are unpacked.',
    }),
    bytes: Type.Integer({ description: 'Of the font as it is kept.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the font as it is kept and drawn with.' }),
    embedding: Type.Unsafe<FontInfo['embedding']>({
      type: 'string',
      enum: FONT_EMBEDDINGS,
      description: "What the font's maker allows (OS/2 fsType). Fonts that may not be embedded are refused.",
    }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'Font' },
)
export type FontBody = Static<typeof FontBody>

export const FontPage = pageOf(FontBody)
export const FontParams = Type.Object({ fontId: Type.String() }, closed)

const bytes = { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) }
const asBytes = (mediaTypes: readonly string[]) => Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, bytes]))

/** For the documentation: an upload is a stream, which no schema can check. */
export const UploadBody = {
  content: {
    'multipart/form-data': { schema: Type.Object({ file: bytes.schema }, closed) },
    ...asBytes(UPLOAD_MEDIA_TYPES),
    'application/octet-stream': bytes,
  },
}

export const FontContent = {
  description: 'The font as it is kept and drawn with.',
  content: asBytes(Object.keys(FONT_EXTENSIONS)),
}

/** The font as the API shows it. */
export function toFontBody({ ownerId: _, createdAt, ...font }: Font): FontBody {
  const { id, family, weight, style, scripts, mediaType, bytes, sha256, embedding } = font
  return {
    ...{ id, family, weight, style, scripts, mediaType, bytes, sha256, embedding },
    createdAt: createdAt.toISOString(),
  }
}
