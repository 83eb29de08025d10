import { Type } from 'typebox'
import { createThumbnails, type DrawThumbnail, findShopAssets } from '../../assets/index.ts'
import { anyone } from '../../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { accountOf } from '../../platform/http/core/principal.ts'
import { allowEmbedding } from '../../platform/http/links/signed-links.ts'
import { isNotModified, sendNotModified } from '../../platform/http/responses/etag.ts'
import type { App } from '../../platform/http/server.ts'
import { type Storage, storageProblems } from '../../platform/storage/index.ts'
import { productProblems } from '../problems.ts'
import { ProductImageFile, ProductImageParams, ProductImageQuery } from '../schemas.ts'
import { findProductImages } from '../store.ts'

export interface ImageDeps {
  db: Db
  storage: Storage
  drawThumbnail: DrawThumbnail
}

/** An image never changes under its id, so browsers and proxies may keep it. */
const FOREVER = 'public, max-age=31536000, immutable'

/** Adds the route that shows the images of products to everyone. */
export function productImageRoutes(app: App, { db, storage, drawThumbnail }: ImageDeps): void {
  const thumbnails = createThumbnails({ storage, draw: drawThumbnail })

  app.get(
    '/products/:productId/images/:imageId',
    {
      onRequest: anyone,
      config: { countedAs: 'links' },
      schema: {
        operationId: 'getProductImage',
        problems: [productProblems.image_not_found, storageProblems.storage_unavailable],
        tags: ['Products'],
        summary: 'Download an image of a product',
        description:
          'Returns WebP in sRGB, upright. The response needs no credential and may be cached forever. An image that the product no longer shows is 404.',
        params: ProductImageParams,
        querystring: ProductImageQuery,
        response: { 200: ProductImageFile, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const { productId, imageId } = request.params
      const images = await findProductImages(db, productId)
      if (images === undefined) throw productProblems.product_not_found()
      const isShown = images.some(({ id }) => id === imageId)
      const [asset] = isShown ? await findShopAssets(db, [imageId]) : []
      if (asset === undefined) throw productProblems.image_not_found()
      const { width } = request.query
      allowEmbedding(reply)
      reply.header('Cache-Control', FOREVER)
      if (isNotModified(request, reply, `"${asset.sha256}-${width}"`)) return sendNotModified(reply)
      const bytes = await thumbnails.read(asset, accountOf(request), width)
      return reply.type('image/webp').send(Buffer.from(bytes))
    },
  )
}
