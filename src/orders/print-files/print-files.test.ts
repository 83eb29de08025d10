import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { unzipSync } from 'fflate'
import { sql } from 'kysely'
import sharp from 'sharp'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { textLayer } from '../../designs/factory.ts'
import { RenderFailed } from '../../rendering/index.ts'
import { startCardShop } from '../item-files/factory.ts'
import { collectPrintFiles } from './collect.ts'
import { MAX_MERGED_PAGES, mergeFilesOfOrders } from './merge-files.ts'

async function startPrinting(t: TestContext) {
  const shop = await startCardShop(t)
  const { request, operator } = shop
  const download = (format: 'zip' | 'pdf', orderIds: string[], token = operator.token) =>
    request('POST', '/production/print-files', { token, body: { format, orderIds } })
  /** The codes of the errors, with the index of the order and the number of items. */
  const faultsOf = async (format: 'zip' | 'pdf', orderIds: string[]) => {
    const { status, body } = await download(format, orderIds)
    assert.deepEqual([status, body.code], [409, 'print_files_unavailable'])
    type Entry = { code: string; pointer: string; itemIds: string[] }
    return body.errors.map(({ code, pointer, itemIds }: Entry) => [code, pointer, itemIds.length])
  }
  /** Orders items with the given texts, pays, and renders their files. */
  const orderPaid = async (designId: string, ...names: string[]) => {
    const order = await shop.orderCards(designId, ...names)
    await shop.pay(order.id)
    return order
  }
  const drawn = async (designId: string, ...names: string[]) => {
    const order = await orderPaid(designId, ...names)
    while (await shop.draw());
    return order
  }
  return { ...shop, download, faultsOf, orderPaid, drawn }
}

/** A profile of a press, which is part of sharp. */
async function pressProfile(): Promise<Buffer> {
  const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } }).withIccProfile('cmyk')
  const { icc } = await sharp(await picture.tiff().toBuffer()).metadata()
  assert.ok(icc)
  return icc
}

/** The texts of the pages: a card has a text on its front, and nothing on its back. */
async function textsOf(bytes: Uint8Array): Promise<string[]> {
  const pdf = await openPdf(bytes)
  try {
    return Array.from({ length: pdf.pageCount }, (_, page) =>
      pdf
        .chars(page)
        .map(({ char }) => char.trim())
        .join(''),
    )
  } finally {
    pdf.close()
  }
}

test('an archive and a PDF have every print file of the orders, in the order of the request', async (t) => {
  const shop = await startPrinting(t)
  const designId = await shop.finalize()
  const [first, second] = [await shop.drawn(designId, 'Ann', 'Bob'), await shop.drawn(designId, 'Cid')]
  const plain = await shop.finalize([textLayer('Plain')])
  const third = await shop.call('POST', '/orders', shop.basket(plain, undefined))
  await shop.pay(third.id)
  const ids = [second.id, third.id, first.id]

  const zip = await shop.download('zip', ids)
  assert.deepEqual([zip.status, zip.headers.get('content-type')], [200, 'application/zip'])
  assert.equal(zip.headers.get('content-disposition'), 'attachment; filename="print-files.zip"')
  assert.equal(zip.headers.get('content-length'), String(zip.body.length))
  const files = unzipSync(zip.body)
  const paths = [
    `${second.number}/01-CARD-x3.pdf`,
    `${third.number}/01-CARD-x3.pdf`,
    `${first.number}/01-CARD-x3.pdf`,
    `${first.number}/02-CARD-x3.pdf`,
  ]
  assert.deepEqual(Object.keys(files), [...paths, 'manifest.json'])
  const texts = []
  for (const path of paths) texts.push(...(await textsOf(files[path] ?? Buffer.alloc(0))))
  assert.deepEqual(texts, ['HelloCid', '', 'Plain', '', 'HelloAnn', '', 'HelloBob', ''])
  const manifest = JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString())
  const sha256 = createHash('sha256')
    .update(files[paths[3] ?? ''] ?? '')
    .digest('hex')
  const { id: itemId } = first.items[1]
  assert.deepEqual(manifest.files[3], {
    ...{ path: paths[3], orderId: first.id, orderNumber: first.number, itemId, position: 2, quantity: 3, sku: 'CARD' },
    ...{ pages: 2, bytes: files[paths[3] ?? '']?.length, sha256 },
  })

  const pdf = await shop.download('pdf', ids)
  assert.deepEqual([pdf.status, pdf.headers.get('content-type')], [200, 'application/pdf'])
  assert.equal(pdf.headers.get('content-length'), String(pdf.body.length))
  assert.deepEqual(await textsOf(pdf.body), texts)
})

test('a download is complete or refused: each order and item at fault is named', async (t) => {
  const shop = await startPrinting(t)
  const designId = await shop.finalize()
  const ready = await shop.drawn(designId, 'Ann')
  const failed = await shop.orderPaid(designId, 'Dan', 'Eve')
  // The state of a process that died while it rendered, after which the files fail.
  await sql`update item_files set attempts = 99 where item_id = ${failed.items[1].id}`.execute(shop.db)
  const held = await shop.drawn(designId, 'Flo')
  await shop.call('POST', `/orders/${held.id}/hold`, { reason: 'Is this right?' }, shop.operator.token)
  const missing = await shop.drawn(designId, 'Gil')
  await sql`delete from item_files where order_id = ${missing.id}`.execute(shop.db)
  const unpaid = await shop.orderCards(designId, 'Hal')
  const pending = await shop.orderPaid(designId, 'Bob', 'Cid')
  const orders = [ready, pending, failed, held, missing, unpaid].map(({ id }) => id as string)
  for (const format of ['zip', 'pdf'] as const) {
    assert.deepEqual(await shop.faultsOf(format, [...orders, 'ord_none']), [
      ['item_files_pending', '/orderIds/1', 2],
      ['item_files_failed', '/orderIds/2', 1],
      ['order_not_produced', '/orderIds/3', 0],
      ['item_files_missing', '/orderIds/4', 1],
      ['order_not_produced', '/orderIds/5', 0],
      ['order_not_found', '/orderIds/6', 0],
    ])
  }
  const { body } = await shop.download('pdf', [pending.id])
  const [{ orderId, orderNumber, itemIds }] = body.errors
  assert.deepEqual([orderId, orderNumber], [pending.id, pending.number])
  assert.deepEqual(itemIds, [pending.items[0].id, pending.items[1].id])
})

test('files of an erased order are not downloaded', async (t) => {
  const shop = await startPrinting(t)
  const { id } = await shop.drawn(await shop.finalize(), 'Ann')
  await sql`update orders set shipping_address = json_build_object('name', 'Erased', 'line1', 'Erased')
    where id = ${id}`.execute(shop.db)
  assert.deepEqual(await shop.faultsOf('zip', [id]), [['order_erased', '/orderIds/0', 0]])
})

test('a PDF names orders whose bytes are gone, or that are for another printing condition', async (t) => {
  const shop = await startPrinting(t)
  const designId = await shop.finalize()
  const [first, second] = [await shop.drawn(designId, 'Ann'), await shop.drawn(designId, 'Bob')]
  const admin = await shop.signUp('admin')
  const headers = { 'content-type': 'application/vnd.iccprofile' }
  const body = await pressProfile()
  const profile = await shop.request('POST', '/color-profiles', { token: admin.token, body, headers })
  assert.equal(profile.status, 201, profile.text)
  const changed = { outputProfileId: profile.body.id }
  await shop.call('PATCH', `/products/${shop.product.id}`, changed, admin.token)
  const press = await shop.drawn(await shop.finalize(), 'Cid')
  assert.deepEqual(await shop.faultsOf('pdf', [first.id, press.id, second.id]), [
    ['printing_condition_differs', '/orderIds/1', 1],
  ])
  assert.equal((await shop.download('zip', [first.id, press.id])).status, 200)

  const files = await collectPrintFiles(shop.db, [second.id])
  await rm(await shop.deps.storage.localPath(files[0]?.file.sha256 ?? ''))
  assert.deepEqual(await shop.faultsOf('pdf', [first.id, second.id]), [['item_files_missing', '/orderIds/1', 1]])
  // The archive begins before all files were opened, so it ends early.
  await assert.rejects(shop.download('zip', [first.id, second.id]), /terminated|fetch failed/)
})

test('a PDF with too many pages is refused before a file is read, and merging leaves no files behind', async (t) => {
  const shop = await startPrinting(t)
  const { id } = await shop.drawn(await shop.finalize(), 'Ann')
  const files = await collectPrintFiles(shop.db, [id])
  const [file] = files
  assert.ok(file)
  const options = { orderIds: [id], owner: shop.operator.userId, signal: new AbortController().signal }
  const dirs: string[] = []
  const storage = {
    ...shop.deps.storage,
    createWorkDir: async () => {
      const dir = await shop.deps.storage.createWorkDir()
      dirs.push(dir)
      return dir
    },
  }
  const many = Array.from({ length: MAX_MERGED_PAGES + 1 }, () => file)
  const deps = { ...shop.deps, storage }
  await assert.rejects(mergeFilesOfOrders(deps, many, options), { code: 'print_files_too_large' })
  assert.deepEqual(dirs, [])

  const { stream } = await mergeFilesOfOrders(deps, files, options)
  const [dir = ''] = dirs
  await assert.rejects(rm(dir), { code: 'ENOENT' })
  stream.destroy()
  const failing = { ...deps, renderer: { mergePrintFiles: () => Promise.reject(new RenderFailed('timeout', '')) } }
  await assert.rejects(mergeFilesOfOrders(failing, files, options), { code: 'renderer_busy' })
  await assert.rejects(rm(dirs[1] ?? ''), { code: 'ENOENT' })
})

test('only operators who may read orders download print files, of 1 to 200 orders', async (t) => {
  const shop = await startPrinting(t)
  const { id } = await shop.drawn(await shop.finalize(), 'Ann')
  const { token: key } = await shop.signUpKey('operator', ['production:write'])
  const { token: reading } = await shop.signUpKey('operator', ['orders:read'])
  assert.deepEqual((await shop.download('zip', [id], shop.customer.token)).body.code, 'insufficient_role')
  assert.deepEqual((await shop.download('zip', [id], key)).body.permission, 'orders:read')
  assert.equal((await shop.download('zip', [id], reading)).status, 200)
  for (const [orderIds, pointer] of [
    [[], '/orderIds'],
    [[id, id], '/orderIds'],
    [Array.from({ length: 201 }, (_, n) => `${n}`), '/orderIds'],
  ] as const) {
    const { status, body } = await shop.download('zip', [...orderIds])
    assert.deepEqual([status, body.errors[0].pointer], [400, pointer])
  }
})

test('a PDF with too many pages is refused before its items are read', async (t) => {
  const shop = await startPrinting(t)
  const order = await shop.drawn(await shop.finalize(), 'Ann')
  // Without files, so that reading them would find a fault.
  await sql`insert into order_items
    select (jsonb_populate_record(i, jsonb_build_object('id', left(i.id, 20) || n, 'position', n))).*
    from order_items i cross join generate_series(1, ${MAX_MERGED_PAGES / 2}::int) as n
    where i.id = ${order.items[0].id}`.execute(shop.db)
  const { status, body } = await shop.download('pdf', [order.id])
  assert.deepEqual([status, body.code, body.pages], [422, 'print_files_too_large', MAX_MERGED_PAGES + 2])
  assert.ok(body.bytes > MAX_MERGED_PAGES)
  assert.deepEqual(await shop.faultsOf('zip', [order.id]), [
    ['item_files_missing', '/orderIds/0', MAX_MERGED_PAGES / 2],
  ])
})

test('one download of a user is prepared at a time, and nothing is read for those that wait', async (t) => {
  const shop = await startPrinting(t)
  const { id } = await shop.drawn(await shop.finalize(), 'Ann')
  const { renderer } = shop.deps
  const { mergePrintFiles } = renderer
  const [merging, merge] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isMerging = false
  t.mock.method(renderer, 'mergePrintFiles', async (...job: Parameters<typeof mergePrintFiles>) => {
    if (isMerging) throw new Error('two downloads of a user are prepared at a time')
    isMerging = true
    merging.resolve()
    await merge.promise
    isMerging = false
    return mergePrintFiles.apply(renderer, job)
  })
  const first = shop.download('pdf', [id])
  await merging.promise
  const later = Array.from({ length: 5 }, () => shop.download('pdf', [id]))
  const refused = await Promise.race(later)
  assert.deepEqual([refused.status, refused.body.code], [503, 'renderer_busy'])
  const other = await shop.signUp('operator')
  assert.equal((await shop.download('zip', [id], other.token)).status, 200)
  await sql`delete from item_files where order_id = ${id}`.execute(shop.db)
  merge.resolve()
  assert.equal((await first).status, 200)
  const statuses = (await Promise.all(later)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [409, 409, 409, 409, 503])
})
