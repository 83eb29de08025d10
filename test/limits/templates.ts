import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { call } from '../../scripts/lib/client.ts'
import { largeProduct, type World } from './world.ts'

/** Creates a product with a large image. Returns the parameters of the image. */
export async function productWithImage({ base, admin, json }: World): Promise<{ productId: string; imageId: string }> {
  const background = `#${randomUUID().slice(0, 6)}`
  const picture = sharp({ create: { width: 3_000, height: 3_000, channels: 3, background } })
  const bytes = new Uint8Array(await picture.jpeg().toBuffer())
  const headers = { 'content-type': 'image/jpeg' }
  const { body } = await call('POST', `${base}/assets`, { token: admin.token, bytes, headers })
  const images = [{ assetId: body.id, alt: 'ü'.repeat(300) }]
  const product = await json('POST', '/products', admin.token, { ...largeProduct(1), images })
  return { productId: product.id, imageId: product.images[0].id }
}
