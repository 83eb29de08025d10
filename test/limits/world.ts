import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import sharp from 'sharp'
import { ApiError, call, signIn, signUp } from '../../scripts/lib/client.ts'
import type { DesignDocumentInput } from '../../src/drawing/index.ts'
import type { Db } from '../../src/platform/db/index.ts'
import type { Role } from '../../src/platform/http/core/principal.ts'
import { LARGE_DOCUMENTS, PLAIN_DOCUMENT, placeholdersDocument } from './documents.ts'
import { fillDesigns, fillEvents } from './fill.ts'

export interface LimitPerson {
  id: string
  email: string
  password: string
  token: string
  refreshToken: string
}

/** Records of maximum size in a running service, and functions that create more of them. */
export interface World {
  base: string
  db: Db
  customer: LimitPerson
  operator: LimitPerson
  admin: LimitPerson
  productId: string
  variantId: string
  /** An asset of the customer. */
  assetId: string
  /** A finalized design of the customer, without placeholders. */
  designId: string
  /** A draft with a document of about 450 kB. */
  largeDesignId: string
  endpointId: string
  deliveryId: string
  json(method: string, path: string, token: string, body?: unknown): Promise<JsonBody>
  person(role?: Role): Promise<LimitPerson>
  draft(document?: DesignDocumentInput): Promise<string>
  /** Gives an account cancelled orders whose events have the largest data. */
  fillOrders(ownerId: string): Promise<void>
  /** Paid orders of 100 items, which no operation changes. */
  confirmedIds: readonly string[]
  /** Returns 200 confirmed orders of 100 items each, all with print files. Creates them at the first call. */
  printable(): Promise<string[]>
  /** Creates an order in the given state. It has 100 items with 1 MB of texts in total. */
  order(state?: OrderState): Promise<LargeOrder>
}

// biome-ignore lint/suspicious/noExplicitAny: the caller knows what the path answers
type JsonBody = any

export type OrderState = 'awaiting_payment' | 'confirmed' | 'on_hold' | 'in_production' | 'shipped'

export interface LargeOrder {
  id: string
  itemIds: string[]
  shipmentId: string
}

export const ADDRESS = {
  name: 'Ada Example',
  line1: 'Lindenstraße 12',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
}

const ITEMS = 100
/** The number of orders in production, which lists and pick lists contain. */
const ORDERS = 12
const LARGE_JSON = JSON.stringify({ version: 1, placements: [], filler: 'x'.repeat(450_000) })

/** Creates accounts in a service, and fills the service with the largest records that it accepts. */
export async function openWorld(origin: string, db: Db): Promise<World> {
  const base = `${origin}/v1`
  const json: World['json'] = async (method, path, token, body) =>
    (await call(method, base + path, { token, json: body })).body
  const person = (role: Role = 'customer') => makePerson(origin, db, role)
  const customer = await person()
  const operator = await person('operator')
  const admin = await person('admin')
  const product = await json('POST', '/products', admin.token, largeProduct(1))
  const variantId = product.variants[0].id
  const draft: World['draft'] = async (document = PLAIN_DOCUMENT) =>
    (await json('POST', '/designs', customer.token, { productId: product.id, variantId, document })).id
  const designId = await draft()
  await json('POST', `/designs/${designId}/finalize`, customer.token)
  const bytes = await sharp({ create: { width: 900, height: 900, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer()
  const headers = { 'content-type': 'image/jpeg' }
  const asset = await call('POST', `${base}/assets`, { token: customer.token, bytes: new Uint8Array(bytes), headers })
  const [largeDesignId = ''] = await fillDesigns(db, {
    ownerId: customer.id,
    count: 100,
    documentJson: JSON.stringify({ ...LARGE_DOCUMENTS['paths of curves, dashed'](), filler: undefined }),
    productId: product.id,
    variantId,
  })
  await fillEvents(db, { ownerId: customer.id, count: 100, dataJson: LARGE_JSON })
  for (let made = 0; made < 20; made += 1) await json('POST', '/products', admin.token, largeProduct(500))
  const endpoint = await json('POST', '/webhook-endpoints', customer.token, { url: 'https://192.0.2.1/hook' }).catch(
    () => json('POST', '/webhook-endpoints', customer.token, { url: 'https://example.com/hook' }),
  )
  for (let sent = 0; sent < 40; sent += 1) await json('POST', `/webhook-endpoints/${endpoint.id}/test`, customer.token)
  await sql`
    update webhook_deliveries set attempts = (
      select json_agg(json_build_object(
        'at', now(), 'durationMs', 15000, 'url', repeat('u', 2000), 'status', 500,
        'responseHeaders', json_build_object('x-filler', repeat('h', 8000)), 'responseBody', repeat('b', 1024)
      )) from generate_series(1, 12)
    ) where endpoint_id = ${endpoint.id}`.execute(db)
  const deliveries = await json('GET', `/webhook-endpoints/${endpoint.id}/deliveries?limit=1`, customer.token)
  const world = {
    ...{ base, db, customer, operator, admin, designId, largeDesignId, json, person, draft },
    ...{ productId: product.id, variantId, assetId: asset.body.id },
    ...{ endpointId: endpoint.id, deliveryId: deliveries.data[0].id },
  }
  const order: World['order'] = (state = 'awaiting_payment') => makeOrder(world, state)
  const confirmedIds: string[] = []
  for (let made = 0; made < ORDERS; made += 1) confirmedIds.push((await order('confirmed')).id)
  const fillOrders = async (ownerId: string) => copyCancelled(db, (await order()).id, ownerId)
  let filled: Promise<string[]> | undefined
  const fill = async () => copyPrintable(db, (await order('confirmed')).id, 200)
  const printable = () => (filled ??= fill())
  return { ...world, order, confirmedIds, fillOrders, printable }
}

async function makePerson(origin: string, db: Db, role: Role): Promise<LimitPerson> {
  const email = `${randomUUID()}@example.com`
  const password = `the very largest ${randomUUID()}`
  let session = await signUp(origin, email, password)
  if (role !== 'customer') {
    await sql`update users set role = ${role} where email = ${email}`.execute(db)
    session = await signIn(origin, email, password)
  }
  const { body } = await call('GET', `${origin}/v1/me`, { token: session.accessToken })
  return { id: body.id, email, password, token: session.accessToken, refreshToken: session.refreshToken }
}

/**
 * Makes a product with the given number of variants. Each variant has 50 price tiers, or fewer if the product would
 * exceed 1 MiB.
 */
export function largeProduct(variants: number) {
  const tiers = Math.max(1, Math.min(50, Math.floor(18_000 / variants)))
  const values = Array.from({ length: 25 }, (_, n) => `value ${n}`)
  const area = { widthMm: 1_000, heightMm: 1_000, bleedMm: 3, safeMarginMm: 3, targetDpi: 100, required: false }
  return {
    name: 'Large',
    description: 'ü'.repeat(variants > 1 ? 5_000 : 10),
    currency: 'EUR',
    printAreas: [{ id: 'front', name: 'Front', ...area }],
    options: ['first', 'second'].map((name) => ({ name, values })),
    variants: Array.from({ length: variants }, (_, n) => ({
      sku: `LARGE-${n}`,
      weightGrams: 1,
      options: { first: values[n % 25], second: values[Math.floor(n / 25)] },
      priceTiers: Array.from({ length: tiers }, (_, t) => ({ minQuantity: 1 + 20_000 * t, unitAmount: 1_000 - t })),
    })),
  }
}

export function largeValues(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`value${n}`, 'ab '.repeat(160)]))
}

type Ordering = Omit<World, 'order' | 'confirmedIds' | 'fillOrders' | 'printable'>

/** Creates an order and inserts its texts into the database. Through the API, each order would lay out 2000 texts. */
async function makeOrder({ json, db, customer, operator, designId }: Ordering, state: OrderState): Promise<LargeOrder> {
  const items = Array.from({ length: ITEMS }, () => ({ designId, quantity: 1 }))
  const { id } = await json('POST', '/orders', customer.token, { items, shippingAddress: ADDRESS })
  await sql`update order_items set data = ${JSON.stringify(largeValues())}::json where order_id = ${id}`.execute(db)
  // Marks the items as rendered, with the files of the design.
  await sql`
    insert into item_files (item_id, order_id, status, content_hash, files, sha256s)
    select i.id, i.order_id, 'ready', f.content_hash, f.files, '{}'
    from order_items i join finalizations f on f.id = i.finalization_id where i.order_id = ${id}`.execute(db)
  const act = (action: string, body?: object) => json('POST', `/orders/${id}/${action}`, operator.token, body)
  let shipmentId = ''
  if (state !== 'awaiting_payment') await act('payments', { method: 'manual' })
  if (state === 'on_hold') await act('hold', { reason: 'One moment.', resolution: 'answer' })
  if (state === 'in_production' || state === 'shipped') await act('start-production')
  if (state === 'shipped') shipmentId = (await act('shipments', { carrier: 'DHL' })).id
  const order = await json('GET', `/orders/${id}`, customer.token)
  return { id, itemIds: order.items.map((item: { id: string }) => item.id), shipmentId }
}

/**
 * Returns the id of copy `n` of a record. Ids begin with the time of their creation, and that of a copy is long ago, so
 * that no record has it already.
 */
const copyOf = (id: RawBuilder<unknown>) => sql`left(${id}, 4) || '0' || lpad(n::text, 3, '0') || right(${id}, 22)`

/** Copies an order as cancelled orders of an account, with their items, and an event with all their texts. */
async function copyCancelled(db: Db, id: string, ownerId: string): Promise<void> {
  const copyId = copyOf(sql`t.id`)
  const copies = sql`cross join generate_series(1, ${ORDERS}::int) n`
  const orderId = copyOf(sql`${id}::text`)
  await sql`
    with copied as (
      insert into orders overriding system value
      select (jsonb_populate_record(t, jsonb_build_object('id', ${copyId}, 'owner_id', ${ownerId}::text,
        'status', 'cancelled', 'number', t.number || ' ' || n))).* from orders t ${copies} where t.id = ${id}
    ), items as (
      insert into order_items overriding system value
      select (jsonb_populate_record(t, jsonb_build_object('id', ${copyId}, 'order_id', ${orderId}))).*
      from order_items t ${copies} where t.order_id = ${id}
    )
    insert into events (id, type, subject, owner_id, sequence, data, created_at)
    select ${copyId}, 'order.cancelled', ${orderId}, ${ownerId}, 1,
      jsonb_set(t.data::jsonb, '{items}', (
        select jsonb_agg(item || jsonb_build_object('data', ${JSON.stringify(largeValues())}::jsonb))
        from jsonb_array_elements(t.data::jsonb -> 'items') item
      ))::json, now()
    from events t ${copies} where t.subject = ${id} and t.type = 'order.created'`.execute(db)
}

/** Copies a paid order with its items and their files. */
async function copyPrintable(db: Db, id: string, count: number): Promise<string[]> {
  const copies = sql`cross join generate_series(1, ${count}::int) n`
  const { rows } = await sql<{ id: string }>`
    with copied as (
      insert into orders overriding system value
      select (jsonb_populate_record(t, jsonb_build_object('id', ${copyOf(sql`t.id`)}, 'number', t.number || '-' || n))).*
      from orders t ${copies} where t.id = ${id} returning id
    ), items as (
      insert into order_items overriding system value
      select (jsonb_populate_record(t, jsonb_build_object(
        'id', ${copyOf(sql`t.id`)}, 'order_id', ${copyOf(sql`t.order_id`)}, 'data', '{"name":"Ada"}'::jsonb))).*
      from order_items t ${copies} where t.order_id = ${id}
    ), files as (
      insert into item_files (item_id, order_id, status, content_hash, files, sha256s)
      select ${copyOf(sql`t.item_id`)}, ${copyOf(sql`t.order_id`)}, t.status, t.content_hash, t.files, t.sha256s
      from item_files t ${copies} where t.order_id = ${id}
    )
    select id from copied`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * Finalizes a design with a placeholder for each of `largeValues`, and returns its id. Throws if the service rejects
 * the design.
 */
export async function placeholdersDesign({ draft, json, customer }: World): Promise<string> {
  const id = await draft(placeholdersDocument(20))
  try {
    await json('POST', `/designs/${id}/finalize`, customer.token)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new Error(`the design with placeholders was rejected: ${error.message}`)
  }
  return id
}
