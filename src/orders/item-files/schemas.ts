import { Type } from 'typebox'

const closed = { additionalProperties: false } as const

export const ItemParams = Type.Object({ orderId: Type.String(), itemId: Type.String() }, closed)

export const ItemFileParams = Type.Object(
  { orderId: Type.String(), itemId: Type.String(), fileId: Type.String() },
  closed,
)

export const ItemFileBytes = {
  description: 'The file.',
  content: Object.fromEntries(
    ['application/pdf', 'image/webp'].map((mediaType) => [
      mediaType,
      { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}
