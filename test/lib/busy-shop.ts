import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { call, signIn, signUp } from '../../scripts/lib/client.ts'
import { makePng } from '../../src/assets/factory.ts'
import { ADDRESS } from '../../src/orders/factory.ts'

/** Everything that the service has acknowledged to one customer. */
export interface Acknowledged {
  /** When the first request was sent, and when the last one was acknowledged. */
  beganAt: Date
  ackedAt: Date
  email: string
  password: string
  assetId: string
  image: Buffer
  designId: string
  printFile: Uint8Array
  order: { id: string; number: string; amounts: object }
}

/** Signs up, uploads an image, finalizes a design with it, and orders the design. */
export async function becomeCustomer(origin: string): Promise<Acknowledged> {
  const beganAt = new Date()
  const base = `${origin}/v1`
  const [email, password] = [`${randomUUID()}@example.com`, `a quiet lake ${randomUUID()}`]
  const { accessToken: token } = await signUp(origin, email, password)
  const image = await makePng(`#${randomUUID().slice(0, 6)}`)
  const { body: asset } = await call('POST', `${base}/assets`, {
    ...{ token, bytes: new Uint8Array(image), headers: { 'content-type': 'application/octet-stream' } },
  })
  const { body: products } = await call('GET', `${base}/products?limit=100`)
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const layers = [
    { id: 'photo', type: 'image', x: 5, y: 5, width: 2, height: 2, assetId: asset.id },
    {
      ...{ id: 'name', type: 'text', x: 8, y: 20, width: 69, height: 12, text: email.slice(0, 8) },
      ...{ fontFamily: 'Inter', fontSizePt: 12 },
    },
  ]
  const document = { version: 1, placements: [{ printAreaId: 'front', layers }] }
  const json = { productId: product.id, variantId: product.variants[0].id, document }
  const { body: design } = await call('POST', `${base}/designs`, { token, json })
  await call('POST', `${base}/designs/${design.id}/finalize`, { token })
  const printFile = await readPrintFile(base, token, design.id)
  const items = [{ designId: design.id, quantity: 1 }]
  const { body: order } = await call('POST', `${base}/orders`, { token, json: { items, shippingAddress: ADDRESS } })
  const known = { assetId: asset.id, image, designId: design.id, printFile, order }
  return { beganAt, ackedAt: new Date(), email, password, ...known }
}

async function readPrintFile(base: string, token: string, designId: string): Promise<Uint8Array> {
  return (await call('GET', `${base}/designs/${designId}/files/print`, { token })).bytes
}

export async function requireAcknowledged(origin: string, { email, password, ...known }: Acknowledged): Promise<void> {
  const base = `${origin}/v1`
  const { accessToken: token } = await signIn(origin, email, password)
  const { body: order } = await call('GET', `${base}/orders/${known.order.id}`, { token })
  assert.deepEqual([order.number, order.amounts], [known.order.number, known.order.amounts])
  assert.deepEqual(await readPrintFile(base, token, known.designId), known.printFile)
  const asset = await call('GET', `${base}/assets/${known.assetId}/content`, { token })
  assert.deepEqual(Buffer.from(asset.bytes), known.image)
}

/** Has two customers at a time until it is stopped. */
export function openBusyShop(origin: string) {
  const made: Acknowledged[] = []
  let isOpen = true
  const lanes = Array.from({ length: 2 }, async () => {
    while (isOpen) made.push(await becomeCustomer(origin))
  })
  return {
    made,
    close: async () => {
      isOpen = false
      await Promise.all(lanes)
    },
  }
}

export async function temporaryRoot(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'platen-drill-'))
  // If this process runs as root, PostgreSQL runs as another user, which must pass through the folder.
  await chmod(root, 0o711)
  t.after(() => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return root
}
