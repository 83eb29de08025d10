import { Type } from 'typebox'

const closed = { additionalProperties: false } as const

export const ItemParams = Type.Object({ orderId: Type.String(), itemId: Type.String() }, closed)

export const ItemFileParams = Type.Object(
  { orderId: Type.String(), itemId: Type.String(), fileId: Type.String() },
  closed,
)

export const ItemFilePageParams = Type.Object(
  {
    orderId: Type.String(),
    itemId: Type.String(),
    fileId: Type.String(),
    page: Type.Integer({ minimum: 1, maximum: 5000, description: 'Number of the page, from 1.' }),
  },
  closed,
)

export const ItemFilePageQuery = Type.Object(
  {
    width: Type.Integer({
      minimum: 16,
      maximum: 2000,
      default: 800,
      description: 'Width of the picture in pixels. Pages with extreme proportions get fewer.',
    }),
  },
  closed,
)

export const ItemFilePagePicture = {
  description: 'The picture.',
  content: { 'image/webp': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}

export const ItemFileBytes = {
  description: 'The file.',
  content: Object.fromEntries(
    ['application/pdf', 'image/webp'].map((mediaType) => [
      mediaType,
      { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}
