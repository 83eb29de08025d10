import { type Static, Type } from 'typebox'
import { customerIdOf } from '../auth/index.ts'
import { pageOf } from '../platform/http/responses/pagination.ts'
import { FONT_EMBEDDINGS, FONT_EXTENSIONS, FONT_STYLES, type FontInfo, UPLOAD_MEDIA_TYPES } from './inspection.ts'
import type { Font } from './store.ts'

const closed = { additionalProperties: false } as const

export const FontBody = Type.Object(
  {
    id: Type.String(),
    customerId: Type.String({ description: 'Id of the customer who owns it.' }),
    family: Type.String({
      description: 'Family name for `fontFamily` of a text layer. A width other than normal is part of the name.',
    }),
    weight: Type.Integer({ minimum: 1, maximum: 1000 }),
    style: Type.Unsafe<FontInfo['style']>({ type: 'string', enum: FONT_STYLES }),
    scripts: Type.Array(Type.String({ description: 'ISO 15924 code.' })),
    mediaType: Type.Unsafe<FontInfo['mediaType']>({
      type: 'string',
      enum: Object.keys(FONT_EXTENSIONS),
      description: 'Media type of the stored font. WOFF and WOFF2 are stored unpacked.',
    }),
    bytes: Type.Integer({
      description: 'Size of the stored font, unpacked and reduced to the tables that rendering reads.',
    }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Hash of the stored font, which rendering uses.' }),
    embedding: Type.Unsafe<FontInfo['embedding']>({
      type: 'string',
      enum: FONT_EMBEDDINGS,
      description: 'Embedding permission of the maker (OS/2 fsType).',
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

/** This schema is only documentation, because a schema cannot check a stream. */
export const UploadBody = {
  content: {
    'multipart/form-data': { schema: Type.Object({ file: bytes.schema }, closed) },
    ...asBytes(UPLOAD_MEDIA_TYPES),
    'application/octet-stream': bytes,
  },
}

export const FontContent = {
  description: 'The stored font, which rendering uses.',
  content: asBytes(Object.keys(FONT_EXTENSIONS)),
}

export function toFontBody({ ownerId, createdAt, ...font }: Font): FontBody {
  const { id, family, weight, style, scripts, mediaType, bytes, sha256, embedding } = font
  return {
    customerId: customerIdOf(ownerId),
    ...{ id, family, weight, style, scripts, mediaType, bytes, sha256, embedding },
    createdAt: createdAt.toISOString(),
  }
}
