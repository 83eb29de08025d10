import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { drawDueItemFiles } from '../../../src/orders/item-files/draw-item-files.ts'
import { createFairQueue } from '../../../src/orders/item-files/fair-queue.ts'
import type { TestResponse, TestService } from '../../harness.ts'
import type { Shop } from './shop.ts'
import { button, heading, link, signIn, startDesign } from './shop.ts'

/** What the client of the editor offers, as far as tests use it. */
interface EditorClient {
  designs: {
    change(id: string, body: object): Promise<object>
    finalize(id: string): Promise<object>
  }
}

const MUG = { product: 'Mug', area: 'wrap' }

/** A document with one line of text below the other. */
function documentOf(texts: readonly string[]): object {
  const layers = texts.map((text, index) => ({
    ...{ id: `t${index}`, type: 'text', x: 10, y: 10 + 20 * index, width: 150, height: 16, text },
    ...{ fontFamily: 'Inter', fontSizePt: 14 },
  }))
  return { version: 1, placements: [{ printAreaId: MUG.area, layers }] }
}

/** Starts a design as the customer of the page, and finalizes it as the editor does. Ends on the finished page. */
export async function finishDesign(page: Page, url: string, texts: readonly string[] = ['Ada']): Promise<string> {
  await page.goto(url)
  const id = await startDesign(page, MUG.product)
  const document = documentOf(texts)
  await page.locator('platen-editor').evaluate(
    async (element, { id, document }) => {
      const { client } = element as unknown as { client: EditorClient }
      await client.designs.change(id, { document })
      await client.designs.finalize(id)
      element.dispatchEvent(new Event('finalized'))
    },
    { id, document },
  )
  await page.waitForURL(`${url}/designs/${id}/finished`)
  await heading(page).waitFor()
  return id
}

/** Puts the design of the present page into the cart, and opens the cart. */
export async function addToCart(page: Page): Promise<void> {
  await button(page, 'Add to cart').click()
  await link(page, /^Cart, /).click()
  await heading(page, 'Cart').waitFor()
}

/** Fills in the postal address at the checkout, and goes on to the total. */
export async function fillAddress(page: Page, { email }: { email?: string } = {}): Promise<void> {
  await page.getByLabel('Country').selectOption('DE')
  await page.getByLabel('Name of the recipient').fill('Ada Lovelace')
  await page.getByLabel('Street and number').fill('Chausseestraße 125')
  await page.getByLabel('Postal code').fill('10115')
  await page.getByLabel('Town or city').fill('Berlin')
  if (email !== undefined) await page.getByLabel('Email address').fill(email)
  await button(page, 'Continue to shipping and total').click()
  await page.getByRole('heading', { name: 'Your order' }).waitFor()
}

/** Goes from the cart to the page that pays a new order. Returns the id of the order. */
export async function orderCart(page: Page, options: { email?: string } = {}): Promise<string> {
  await button(page, 'Go to checkout').click()
  await fillAddress(page, options)
  await button(page, 'Place the order').click()
  await page.waitForURL(/\/orders\/ord_\w+\/pay$/)
  return orderIdOf(page)
}

export function orderIdOf(page: Page): string {
  const [, id] = /\/orders\/(ord_\w+)/.exec(page.url()) ?? []
  assert.ok(id !== undefined, page.url())
  return id
}

/** Pays the order of the present page with a test card. */
export async function payWith(page: Page, card: string): Promise<void> {
  await page.getByRole('radio', { name: card }).check()
  await button(page, /^Pay €/).click()
}

/** Acts on an order as an operator does. */
export async function operate({
  service,
}: Pick<Shop, 'service'>): Promise<(orderId: string, action: string, body?: object) => Promise<TestResponse['body']>> {
  const { accessToken: token } = await service.signUp({ role: 'operator' })
  return async (orderId, action, body = {}) => {
    const answer = await service.request('POST', `/orders/${orderId}/${action}`, { token, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
}

export interface NewFinishedDesign {
  token: string
  name: string
  texts?: readonly string[]
}

/** Creates and finalizes a mug by the API. */
export async function makeDesign(
  { service }: Pick<Shop, 'service'>,
  { token, name, texts = [name] }: NewFinishedDesign,
): Promise<string> {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await service.request(method, path, { token, ...(body === undefined ? {} : { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const { data } = await ask('GET', '/products?limit=100')
  const product = data.find((one: { name: string }) => one.name === MUG.product)
  const document = documentOf(texts)
  const { id } = await ask('POST', '/designs', {
    ...{ name, productId: product.id, variantId: product.variants[0].id, document },
  })
  await ask('POST', `/designs/${id}/finalize`)
  return id
}

/** Has the price of a finished design expire. Pages that have read the design before do not notice. */
export async function expirePrice({ db, clock }: TestService, designId: string): Promise<void> {
  const finalization = db.selectFrom('finalizations').select('id').where('design_id', '=', designId)
  const past = new Date(clock.now().getTime() - 1_000)
  await db.updateTable('price_locks').set({ valid_until: past }).where('finalization_id', 'in', finalization).execute()
}

/** Puts finished designs into the cart, and opens it. */
export async function fillCart(page: Page, url: string, designIds: readonly string[]): Promise<void> {
  for (const id of designIds) {
    await page.goto(`${url}/designs/${id}/finished`)
    await button(page, 'Add to cart').click()
  }
  await page.goto(`${url}/cart`)
  await heading(page, 'Cart').waitFor()
}

/** Signs in on a new page. */
export async function openSignedIn(
  { open, url }: Pick<Shop, 'open' | 'url'>,
  account: { email: string; password: string },
): Promise<Page> {
  const page = await open(`${url}/sign-in?next=/orders`)
  await signIn(page, account)
  await heading(page, 'My orders').waitFor()
  return page
}

/** Renders the print files of items with texts of their own, which is a job of the service. */
export async function drawItemFiles({ service }: Pick<Shop, 'service'>): Promise<void> {
  await drawDueItemFiles(service.services.orders, createFairQueue())
}

/** Copies an order with what belongs to it. Returns the ids of the copies. */
export async function copyOrder(
  { service: { db } }: Pick<Shop, 'service'>,
  id: string,
  copies: number,
): Promise<string[]> {
  const numbered = (column: string) => sql`left(${sql.ref(column)}, 26) || lpad(n::text, 4, '0')`
  const copy = (table: string, key: string, changes: Record<string, RawBuilder<unknown>>) => {
    const members = Object.entries(changes).flatMap(([column, value]) => [sql.lit(column), value])
    return sql`
      insert into ${sql.table(table)} overriding system value
      select (jsonb_populate_record(t, jsonb_build_object(${sql.join(members)}))).*
      from ${sql.table(table)} t cross join generate_series(1, ${sql.lit(copies)}) n
      where t.${sql.ref(key)} = ${id}`.execute(db)
  }
  await copy('orders', 'id', { id: numbered('t.id'), number: sql`'copy ' || n` })
  const ofOrder = { order_id: numbered('t.order_id') }
  await copy('order_items', 'order_id', { id: numbered('t.id'), ...ofOrder })
  await copy('payments', 'order_id', { id: numbered('t.id'), ...ofOrder })
  await copy('order_timeline', 'order_id', ofOrder)
  return Array.from({ length: copies }, (_, n) => id.slice(0, 26) + String(n + 1).padStart(4, '0'))
}

/** Places paid orders of three mugs each, by default as a new customer. */
export async function placePaid(
  shop: Shop,
  count: number,
  customer?: { accessToken: string },
): Promise<{ id: string; number: string }[]> {
  const { service } = shop
  const { accessToken: token } = customer ?? (await service.signUp())
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const run = await operate(shop)
  const paid: { id: string; number: string }[] = []
  for (let at = 0; at < count; at += 1) {
    const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
    const { body: order } = await service.request('POST', '/orders', { token, body })
    paid.push(await run(order.id, 'payments', { method: 'manual' }))
  }
  return paid
}
