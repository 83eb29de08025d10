import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import sharp from 'sharp'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { layoutText } from '../../drawing/engine.ts'
import { normalizeLayer, PT_PER_MM } from '../../drawing/index.ts'
import { RenderFailed, RenderQueueFull } from '../../rendering/errors.ts'
import { loadFonts } from '../../rendering/installed-fonts/fonts.ts'
import { ADDRESS, type Shop, startShop } from '../factory.ts'
import type { PickedItem } from './collect.ts'
import { layOutPickList } from './lay-out.ts'
import { PAGE } from './page.ts'

const fonts = loadFonts().book

/** Adds a preview in one colour to every finalized design. Returns the path of its object in the storage. */
async function addPreviews({ db, deps: { storage } }: Shop): Promise<string> {
  const picture = sharp({ create: { width: 400, height: 400, channels: 3, background: '#ff0000' } })
  const bytes = await picture.webp({ lossless: true }).toBuffer()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const path = join(await storage.createWorkDir(), 'preview.webp')
  await writeFile(path, bytes)
  await storage.store({ path, sha256 })
  const file = { id: 'preview-front', kind: 'preview', mediaType: 'image/webp', bytes: bytes.length, sha256 }
  await sql`update finalizations set files = (files::jsonb || ${JSON.stringify(file)}::jsonb)::json`.execute(db)
  return storage.localPath(sha256)
}

/** Returns the texts of the pages without spaces, because PDF readers insert spaces depending on distances. */
async function readPdf(bytes: Uint8Array) {
  const pdf = await openPdf(bytes)
  try {
    const texts = Array.from({ length: pdf.pageCount }, (_, page) =>
      pdf
        .chars(page)
        .map(({ char }) => char.trim())
        .join(''),
    )
    // A point in the middle of the first preview.
    const point = { x: 62 * PT_PER_MM, y: 92 * PT_PER_MM, width: 2, height: 2 }
    return { texts, pixel: [...pdf.rasterize(0, point, { widthPx: 1, heightPx: 1 }).data.subarray(0, 3)] }
  } finally {
    pdf.close()
  }
}

test('only operators can print pick lists', async (t) => {
  const shop = await startShop(t)
  const operator = (await shop.signUp('operator')).token
  const { order, token } = await shop.order({ quantity: 7 })
  await shop.request('POST', `/orders/${order.id}/payments`, { token: operator, body: { method: 'manual' } })
  const preview = await addPreviews(shop)
  const path = `/production/orders/${order.id}/pick-list`
  const get = (address: string, as = operator) => shop.request('GET', address, { token: as })

  const answer = await get(path)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/pdf')
  assert.equal(answer.headers.get('content-disposition'), `inline; filename="${order.number}-pick-list.pdf"`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { texts, pixel } = await readPdf(answer.body)
  assert.equal(texts.length, 1)
  for (const part of [
    order.number,
    ADDRESS.name,
    ADDRESS.line1,
    '10115 Berlin',
    'Germany (DE)',
    'Standard',
    '7 pieces',
  ]) {
    assert.ok(texts[0]?.includes(part.replaceAll(' ', '')), part)
  }
  for (const part of [order.items[0].designId, order.items[0].variantId, 'Page1of1'])
    assert.ok(texts[0]?.includes(part))
  assert.deepEqual(pixel, [255, 0, 0])
  const head = await shop.request('HEAD', path, { token: operator })
  assert.deepEqual([head.status, head.text, head.headers.get('content-type')], [200, '', 'application/pdf'])

  assert.deepEqual([(await get(path, token)).status, (await get('/production/pick-list', token)).status], [403, 403])
  for (const id of ['ord_none', order.items[0].id]) {
    const { status, body } = await get(`/production/orders/${id}/pick-list`)
    assert.deepEqual([status, body.code], [404, 'order_not_found'])
  }

  let other = ''
  await t.test('pick lists of several orders are one file and list unshipped pieces only', async () => {
    const { order: second } = await shop.order({ quantity: 5 })
    other = second.number
    const act = (action: string, body?: object) =>
      shop.request('POST', `/orders/${second.id}/${action}`, { token: operator, body })
    await act('payments', { method: 'manual' })
    await act('start-production')
    await act('shipments', { carrier: 'DHL', items: [{ itemId: second.items[0].id, quantity: 2 }] })
    const both = await readPdf((await get('/production/pick-list?status=confirmed,partially_shipped')).body)
    assert.deepEqual(
      both.texts.map((text) => /PL-\w{4}-\w{4}/.exec(text)?.[0]),
      [second.number, order.number],
    )
    assert.ok(both.texts[0]?.includes('3piece') && both.texts[0].includes('of5,2shipped'))
    const first = await readPdf((await get('/production/pick-list?status=confirmed,partially_shipped&limit=1')).body)
    assert.equal(first.texts.length, 1)
    const chosen = await readPdf((await get(`/production/pick-list?orderIds=${second.id},ord_unknown&limit=50`)).body)
    assert.deepEqual([chosen.texts.length, chosen.texts[0]?.includes(second.number)], [1, true])
    const tooMany = await get(`/production/pick-list?orderIds=${Array(51).fill(second.id).join(',')}`)
    assert.deepEqual([tooMany.status, tooMany.body.errors[0].parameter], [400, 'orderIds'])
    const none = await get('/production/pick-list?status=delivered')
    assert.deepEqual([none.status, none.body.code], [404, 'order_not_found'])
    assert.equal((await get('/production/pick-list?status=lost')).body.errors[0].parameter, 'status')
  })

  await t.test('combined pick lists skip unpaid and cancelled orders', async () => {
    const { order: unpaid } = await shop.order()
    const { order: cancelled } = await shop.order()
    await shop.request('POST', `/orders/${cancelled.id}/cancel`, { token: operator, body: {} })
    const all = 'status=awaiting_payment,cancelled,confirmed,partially_shipped'
    for (const selection of [all, `${all}&limit=2`, `q=${ADDRESS.name.split(' ')[0]}`]) {
      const paid = await readPdf((await get(`/production/pick-list?${selection}`)).body)
      assert.deepEqual(
        paid.texts.map((text) => /PL-\w{4}-\w{4}/.exec(text)?.[0]),
        [other, order.number],
      )
    }
    for (const selection of ['status=awaiting_payment,cancelled', `number=${unpaid.number}`]) {
      const { status, body } = await get(`/production/pick-list?${selection}`)
      assert.deepEqual([status, body.code], [404, 'order_not_found'])
    }
    const { status, body } = await get(`/production/orders/${unpaid.id}/pick-list`)
    assert.deepEqual([status, body.code, body.orderStatus], [409, 'order_action_refused', 'awaiting_payment'])
  })

  await t.test('a missing preview does not prevent the pick list', async () => {
    await rm(preview)
    const without = await get(path)
    assert.equal(without.status, 200, without.text)
    assert.deepEqual((await readPdf(without.body)).pixel, [255, 255, 255])
  })
})

test('an order whose pick list fails gets an error page, and the other orders are printed', async (t) => {
  const shop = await startShop(t)
  const operator = (await shop.signUp('operator')).token
  const orders: { number: string; id: string }[] = []
  for (let count = 0; count < 6; count += 1) {
    const { order } = await shop.order()
    await shop.request('POST', `/orders/${order.id}/payments`, { token: operator, body: { method: 'manual' } })
    orders.unshift(order)
  }
  const [, crashing, , stalling, missing] = orders
  const { renderer } = shop.service.services
  const { sheet } = renderer
  const hasFailed = new Set<string>()
  // The first rendering of each of the three lists fails or stalls. Later ones, such as error pages, are rendered as usual.
  let stalled: AbortSignal | undefined
  renderer.sheet = (job, who) => {
    const bad = [crashing, stalling, missing].find((order) => job.title.includes(order?.number ?? '?'))
    if (bad === undefined || hasFailed.has(bad.number)) return sheet(job, who)
    hasFailed.add(bad.number)
    if (bad === stalling) {
      stalled = who?.signal
      return new Promise(() => undefined)
    }
    return Promise.reject(new RenderFailed(bad === crashing ? 'crash' : 'timeout', 'not drawn'))
  }
  const answer = await shop.request('GET', '/production/pick-list', { token: operator })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(stalled?.aborted, true, 'the rendering of a list that exceeded its time limit is aborted')
  const { texts } = await readPdf(answer.body)
  assert.deepEqual(
    texts.map((text) => [/PL-\w{4}-\w{4}/.exec(text)?.[0], text.includes('couldnotbedrawn')]),
    orders.map((order) => [order.number, [crashing, stalling, missing].includes(order)]),
  )
  for (const bad of [crashing, missing]) {
    hasFailed.clear()
    const alone = await shop.request('GET', `/production/orders/${bad?.id}/pick-list`, { token: operator })
    assert.equal(alone.status, bad === crashing ? 422 : 503)
  }

  await t.test('a busy renderer fails the request instead of single orders', async () => {
    let isBusy = true
    renderer.sheet = (job, who) => {
      if (!isBusy) return sheet(job, who)
      isBusy = false
      return Promise.reject(new RenderQueueFull())
    }
    const busy = await shop.request('GET', '/production/pick-list', { token: operator })
    assert.deepEqual([busy.status, busy.body.code], [503, 'renderer_busy'])
  })

  await t.test('an operator prints one combined list at a time, and nothing is read for those that wait', async () => {
    const drawn = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    renderer.sheet = async (job, who) => {
      // Jobs of the list before, which found the renderer busy, are aborted.
      if (who?.signal?.aborted !== true) begun.resolve()
      await drawn.promise
      return sheet(job, who)
    }
    const print = () => shop.request('GET', '/production/pick-list', { token: operator })
    const first = print()
    await begun.promise
    const later = [print(), print(), print()]
    const refused = await Promise.race(later)
    assert.deepEqual([refused.status, refused.body.code], [503, 'renderer_busy'])
    await sql`update orders set number = replace(number, 'PL-', 'PX-')`.execute(shop.db)
    drawn.resolve()
    assert.match((await readPdf((await first).body)).texts.join(), /PL-/)
    const printed = (await Promise.all(later)).filter(({ status }) => status === 200)
    assert.equal(printed.length, 2)
    for (const { body } of printed) assert.doesNotMatch((await readPdf(body)).texts.join(), /PL-/)
    await sql`update orders set number = replace(number, 'PX-', 'PL-')`.execute(shop.db)
    renderer.sheet = sheet
  })

  await t.test('pick lists of disconnected clients are not rendered', async () => {
    const begun = Promise.withResolvers<AbortSignal | undefined>()
    renderer.sheet = (_job, who) => {
      // Another list found the renderer busy, so the jobs of this list are aborted.
      if (who?.signal?.aborted) return Promise.reject(new RenderFailed('unavailable', 'given up'))
      begun.resolve(who?.signal)
      return new Promise((_, reject) => {
        who?.signal?.addEventListener('abort', () => reject(new RenderFailed('unavailable', 'given up')))
      })
    }
    const client = new AbortController()
    const { signal } = client
    const headers = { authorization: `Bearer ${operator}` }
    const answer = fetch(`${shop.service.baseUrl}/production/pick-list`, { headers, signal })
    const drawing = await begun.promise
    assert.equal(drawing?.aborted, false)
    client.abort()
    await assert.rejects(answer)
    // Waits for less than the time limit of one list.
    for (let tries = 0; drawing?.aborted === false; tries += 1) {
      assert.ok(tries < 400)
      await delay(10)
    }
  })
})

const LONG = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz'.repeat(3)

function item(position: number): PickedItem {
  return {
    position,
    quantity: 100_000,
    left: position % 2 === 0 ? 100_000 : 99_999,
    product: `Karte ${LONG}`,
    variant: `${LONG} · SKU ${LONG}`,
    designId: 'dsn_01h455vb4pex5vsknk084sn02q',
    texts: Array.from({ length: 12 }, (_, index) => [`${LONG}${index}`, 'محمد\n山田太郎 '.repeat(400)]),
    preview: 'ab'.repeat(32),
    warning: 'The print files of this item are not rendered yet.',
  }
}

test('forty items with the longest texts fit on the pages, and each item appears once', async () => {
  const shippingAddress = {
    name: LONG,
    company: `محمد ${LONG}`,
    line1: LONG,
    city: LONG,
    postalCode: '1',
    country: 'DE',
  }
  const order = {
    ...{ number: 'PL-7KQ4-M2XD', status: 'on_hold', hold: { reason: LONG.repeat(9) } },
    ...{ createdAt: new Date(0), shippingMethod: 'standard', shippingAddress },
  }
  const items = Array.from({ length: 40 }, (_, index) => item(index + 1))
  const heightOf = (layer: Parameters<typeof normalizeLayer>[0]) => {
    const normal = normalizeLayer(layer)
    return normal.type === 'text' ? layoutText(normal, fonts).heightPt / PT_PER_MM : normal.height
  }
  const measure = async (texts: readonly Parameters<typeof normalizeLayer>[0][]) => texts.map(heightOf)
  const pages = await layOutPickList(measure, { order, shipping: LONG, items } as never, new Date(0))
  assert.ok(pages.length > 10)
  const names: string[] = []
  for (const layer of pages.flat().map(normalizeLayer)) {
    assert.ok(layer.x >= PAGE.left - 0.01 && layer.y >= 0, JSON.stringify(layer))
    if (layer.type !== 'text') {
      assert.ok(layer.y + layer.height <= PAGE.bottom + 0.01 && layer.x + layer.width <= PAGE.right + 3.01)
      continue
    }
    const { widthPt, heightPt } = layoutText(layer, fonts)
    assert.ok(widthPt <= layer.width * PT_PER_MM + 0.01, layer.text)
    assert.ok(layer.y + heightPt / PT_PER_MM <= PAGE.height - 8, layer.text)
    const name = /^(\d+)\. Karte/.exec(layer.text)?.[1]
    if (name !== undefined) names.push(name)
  }
  assert.deepEqual(
    names,
    items.map(({ position }) => String(position)),
  )
})
