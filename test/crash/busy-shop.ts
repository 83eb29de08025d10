import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { call, signIn, signUp } from '../../scripts/lib/client.ts'
import { type Follower, followPages, followStream, type Receiver, startReceiver } from './followers.ts'
import { type Ask, createPersistentClient, type PersistentAnswer } from './persistent-client.ts'

const ADDRESS = { name: 'Ada Example', line1: 'Lindenstraße 12', city: 'Berlin', postalCode: '10969', country: 'DE' }

/** For each course of an order, the events that its actions cause. Each event must occur once and in this order. */
const COURSES = {
  delivered: [
    'order.created',
    'payment.captured',
    'order.confirmed',
    'order.in_production',
    'shipment.created',
    'order.shipped',
    'shipment.delivered',
    'order.delivered',
  ],
  refunded: ['order.created', 'payment.captured', 'order.confirmed', 'order.in_production', 'payment.refunded'],
  cancelled: ['order.created', 'payment.captured', 'order.confirmed', 'order.cancelled', 'payment.refunded'],
} as const
export type Course = keyof typeof COURSES

export function eventsOf(course: Course): readonly string[] {
  return COURSES[course]
}

export interface MadeOrder {
  key: string
  /** The id of the order in the first response. */
  id: string
  course: Course
  /** The total in minor units of the currency. */
  total: number
}

/**
 * A simulated shop with customers, an operator, and programs that receive events. All of them continue when the service
 * process is killed.
 */
export interface BusyShop {
  ask: Ask
  customer: string
  operator: string
  receiver: Receiver
  followers: Follower[]
  made: MadeOrder[]
  /** Descriptions of unexpected responses. */
  surprises: string[]
  answered: number
  /** How many requests were sent more than once. */
  repeated: number
  /** Stops placing new orders. Resolves when all orders have reached the end of their course. */
  finish(): Promise<void>
  close(): Promise<void>
}

export interface Administrator {
  email: string
  password: string
}

/** Opens the shop at a running service. The customers begin to place orders immediately. */
export async function openBusyShop(origin: string, admin: Administrator, customers: number): Promise<BusyShop> {
  const base = `${origin}/v1`
  const person = await signUp(origin, `${randomUUID()}@example.com`, `kept through it all ${randomUUID()}`)
  const customer = await makeKey(base, person.accessToken, ['orders:read', 'orders:write'])
  const { accessToken: adminToken } = await signIn(origin, admin.email, admin.password)
  const rights = ['orders:read', 'orders:write', 'events:read', 'webhooks:write', 'webhooks:read']
  const operator = await makeKey(base, adminToken, rights)
  const designId = await finalizedDesign(base, person.accessToken)
  const { body: events } = await call('GET', `${base}/events`, { token: operator })
  const receiver = await startReceiver()
  const endpoint = await call('POST', `${base}/webhook-endpoints`, { token: operator, json: { url: receiver.url } })
  receiver.secret = endpoint.body.secret
  const address = { origin, token: operator, after: events.data.at(-1).id }
  const followers = [followPages(address), followStream(address)]

  let isOpen = true
  const shop: BusyShop = {
    ask: async (...request) => {
      const answer = await ask(...request)
      shop.answered += 1
      if (answer.tries > 1) shop.repeated += 1
      return answer
    },
    customer,
    operator,
    receiver,
    followers,
    made: [],
    surprises: [],
    answered: 0,
    repeated: 0,
    finish: async () => {
      isOpen = false
      await Promise.all(lanes)
    },
    close: async () => {
      isOpen = false
      receiver.close()
      await Promise.all(followers.map((follower) => follower.stop()))
    },
  }
  const ask = createPersistentClient(origin)
  const lanes = Array.from({ length: customers }, async () => {
    while (isOpen) {
      await orderAndFollowUp(shop, designId)
      await delay(20)
    }
  })
  return shop
}

async function makeKey(base: string, token: string, permissions: string[]): Promise<string> {
  const { body } = await call('POST', `${base}/api/api-keys`, { token, json: { name: 'crash', permissions } })
  return body.key
}

async function finalizedDesign(base: string, token: string): Promise<string> {
  const { body: products } = await call('GET', `${base}/products`)
  const product = products.data.find(({ name }: { name: string }) => name === 'A6 postcard')
  const layer = { id: 'text', type: 'text', x: 10, y: 10, width: 100, height: 30, text: 'Still here' }
  const layers = [{ ...layer, fontFamily: 'Inter', fontSizePt: 20 }]
  const document = { version: 1, placements: [{ printAreaId: 'front', layers }] }
  const json = { productId: product.id, variantId: product.variants[0].id, document }
  const { body: design } = await call('POST', `${base}/designs`, { token, json })
  await call('POST', `${base}/designs/${design.id}/finalize`, { token })
  return design.id
}

/**
 * Places one order and sends all requests of its course. Every request has an idempotency key, and is repeated with
 * this key until it gets a response.
 */
async function orderAndFollowUp(shop: BusyShop, designId: string): Promise<void> {
  const key = randomUUID()
  const courses: Course[] = ['delivered', 'delivered', 'refunded', 'cancelled']
  const course = courses[shop.made.length % courses.length] ?? 'delivered'
  const json = { items: [{ designId, quantity: 10 }], shippingAddress: ADDRESS, metadata: { key } }
  const created = await send(shop, 'customer', '/orders', json, key)
  const { id, amounts } = created.body
  if (id === undefined) return
  shop.made.push({ key, id, course, total: amounts.total.amount })
  const again = await send(shop, 'customer', '/orders', json, key)
  if (again.body.id !== id)
    shop.surprises.push(`repeating the request that created ${id} returned ${JSON.stringify(again.body)}`)

  await send(shop, 'customer', `/orders/${id}/pay`, { token: 'test_ok' })
  if (course === 'cancelled') {
    await send(shop, 'customer', `/orders/${id}/cancel`, {})
    return
  }
  await send(shop, 'operator', `/orders/${id}/start-production`)
  if (course === 'refunded') {
    await send(shop, 'operator', `/orders/${id}/refunds`, { reason: 'The motif was misprinted.' })
    return
  }
  const shipment = await send(shop, 'operator', `/orders/${id}/shipments`, { carrier: 'DHL' })
  await send(shop, 'operator', `/orders/${id}/shipments/${shipment.body.id}/deliver`)
}

async function send(
  shop: BusyShop,
  who: 'customer' | 'operator',
  path: string,
  json?: object,
  key: string = randomUUID(),
) {
  const answer = await shop.ask('POST', path, { token: shop[who], key, ...(json === undefined ? {} : { json }) })
  if (answer.status >= 400 && !isPaidAlready(path, answer))
    shop.surprises.push(`${path}: ${JSON.stringify(answer.body)}`)
  return answer
}

/**
 * Tells whether a repeated payment request was rejected because the order is already paid. This happens when another
 * process has completed the interrupted payment.
 */
function isPaidAlready(path: string, { body, tries }: PersistentAnswer): boolean {
  return path.endsWith('/pay') && tries > 1 && body.code === 'order_action_refused' && body.orderStatus === 'confirmed'
}
