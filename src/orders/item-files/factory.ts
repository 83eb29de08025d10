import type { TestContext } from 'node:test'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { CARD, imageLayer, makePicture, textLayer } from '../../designs/factory.ts'
import type { LayerInput } from '../../drawing/index.ts'
import { createProduct } from '../../products/change-product.ts'
import { ADDRESS, startShop } from '../factory.ts'
import type { OrderDeps } from '../index.ts'
import { drawDueItemFiles } from './draw-item-files.ts'
import { createFairQueue } from './fair-queue.ts'

/** A text with a placeholder for a place card. */
export const GREETING = textLayer('Hello {{name}}', { width: 70 })

export type CardShop = Awaited<ReturnType<typeof startCardShop>>

/** Starts a shop with a customer and a product. Tests trigger the rendering themselves. */
export async function startCardShop(t: TestContext, env: Record<string, string> = {}) {
  const shop = await startShop(t, undefined, { env })
  const { service, request, deps } = shop
  const product = await shop.db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const customer = await shop.signUp()
  const operator = await shop.signUp('operator')
  const { token } = customer

  const call = async (method: string, path: string, body?: unknown, by = token) => {
    const answer = await request(method, path, { token: by, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const upload = async (): Promise<string> => {
    const headers = { 'content-type': 'image/jpeg' }
    return (await request('POST', '/assets', { token, body: await makePicture(), headers })).body.id
  }
  const made = {
    ...shop,
    product,
    customer,
    operator,
    call,
    upload,
    /** Creates a finalized design with these layers on its front. */
    finalize: async (layers: LayerInput[] = [GREETING], by = token): Promise<string> => {
      const document = { version: 1, placements: [{ printAreaId: 'front', layers }] }
      const design = { productId: product.id, variantId: product.variants[0]?.id, document }
      const { id } = await call('POST', '/designs', design, by)
      await call('POST', `/designs/${id}/finalize`, undefined, by)
      return id
    },
    basket: (designId: string, ...data: (Record<string, string> | undefined)[]) => ({
      items: data.map((one) => ({ designId, quantity: 3, ...(one === undefined ? {} : { data: one }) })),
      shippingAddress: ADDRESS,
    }),
    /** Creates an order of a new guest of a network, with one item for each name. */
    orderAsGuest: async (ip: string, ...names: string[]) => {
      const { body: guest } = await request('POST', '/api/auth/guest', { headers: { 'x-forwarded-for': ip } })
      const { accessToken } = guest
      const designId = await made.finalize([GREETING], accessToken)
      const shippingAddress = { ...ADDRESS, email: 'guest@example.com' }
      const body = { ...made.basket(designId, ...names.map((name) => ({ name }))), shippingAddress }
      return call('POST', '/orders', body, accessToken)
    },
    /** Creates an order with one item for each name. */
    orderCards: async (designId: string, ...names: string[]) => {
      const items = names.map((name) => ({ designId, quantity: 3, data: { name } }))
      return call('POST', '/orders', { items, shippingAddress: ADDRESS })
    },
    pay: (orderId: string) => call('POST', `/orders/${orderId}/payments`, { method: 'manual' }, operator.token),
    read: (orderId: string, by = token) => call('GET', `/orders/${orderId}`, undefined, by),
    /** Runs the rendering job once. */
    draw: (changed: Partial<OrderDeps> = {}, fairQueue = createFairQueue()) =>
      drawDueItemFiles({ ...deps, ...changed }, fairQueue),
    /** Replaces the function that renders print files. */
    drawingWith: (print: OrderDeps['designs']['renderer']['inBackground']['print']): Partial<OrderDeps> => {
      const { inBackground } = deps.designs.renderer
      return { designs: { ...deps.designs, renderer: { inBackground: { ...inBackground, print } } } }
    },
  }
  return made
}

export function pictureLayer(assetId: string): LayerInput {
  return imageLayer(assetId)
}

/** Returns the text of a PDF page without spaces. */
export async function textOf(bytes: Uint8Array, page = 0): Promise<string> {
  const pdf = await openPdf(bytes)
  try {
    return pdf
      .chars(page)
      .map(({ char }) => char)
      .join('')
      .replaceAll(/\s/g, '')
  } finally {
    pdf.close()
  }
}
