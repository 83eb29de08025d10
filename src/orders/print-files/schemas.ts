import { type Static, Type } from 'typebox'
import { MAX_BULK_ORDERS } from '../production/bulk/schemas.ts'

const closed = { additionalProperties: false } as const

const FORMATS = ['zip', 'pdf'] as const

export const PrintFilesBody = Type.Object(
  {
    format: Type.Unsafe<(typeof FORMATS)[number]>({
      type: 'string',
      enum: FORMATS,
      description:
        '`zip`: an archive with one file per item, and a manifest. `pdf`: one PDF/X-4 file with all pages, and an outline with one entry per item.',
    }),
    orderIds: Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: MAX_BULK_ORDERS,
      uniqueItems: true,
      description: 'The files follow the order of these ids.',
    }),
  },
  closed,
)
export type PrintFilesRequest = Static<typeof PrintFilesBody>

export const PrintFilesBytes = {
  description: 'The archive or the PDF.',
  content: Object.fromEntries(
    ['application/zip', 'application/pdf'].map((mediaType) => [
      mediaType,
      { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}
