import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { call } from '../../scripts/lib/client.ts'
import type { DesignDocumentInput } from '../../src/drawing/index.ts'
import { LARGE_DOCUMENTS } from './documents.ts'
import { largeProduct, type World } from './world.ts'

const DOCUMENT = LARGE_DOCUMENTS['QR codes in 200 layers']()

/** The largest number of layers, each with all locks. It is equal each time, so that a save of it is accepted. */
export function lockedDocument(): DesignDocumentInput {
  const lock = { move: true, edit: true, style: true, remove: true }
  const placements = DOCUMENT.placements.map(({ printAreaId, layers }) => ({
    printAreaId,
    layers: layers.map((layer) => ({ ...layer, lock })),
  }))
  return { version: 1, placements }
}

/** Publishes a template of maximum size. Returns its id. */
export async function publishLarge({ productId, variantId, admin, json }: World): Promise<string> {
  const design = await json('POST', '/designs', admin.token, { productId, variantId, document: lockedDocument() })
  return (await json('POST', '/templates', admin.token, { designId: design.id, name: 'Large' })).id
}

/** Creates a product with a large image. Returns the parameters of the image. */
export async function productWithImage(world: World): Promise<{ productId: string; imageId: string }> {
  const { admin, json } = world
  const images = [{ assetId: await largePicture(world), alt: 'ü'.repeat(300) }]
  const product = await json('POST', '/products', admin.token, { ...largeProduct(1), images })
  return { productId: product.id, imageId: product.images[0].id }
}

/** Makes a large picture the logo of the shop. Returns its id. */
export async function largeLogo(world: World): Promise<string> {
  const changes = { logoAssetId: await largePicture(world) }
  const { logo } = await world.json('PATCH', '/shop-settings', world.admin.token, changes)
  return logo.url.split('/').at(-1)
}

async function largePicture({ base, admin }: World): Promise<string> {
  const background = `#${randomUUID().slice(0, 6)}`
  const picture = sharp({ create: { width: 3_000, height: 3_000, channels: 3, background } })
  const bytes = new Uint8Array(await picture.jpeg().toBuffer())
  const headers = { 'content-type': 'image/jpeg' }
  const { body } = await call('POST', `${base}/assets`, { token: admin.token, bytes, headers })
  return body.id
}
