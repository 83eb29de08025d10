import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textLayer } from '../../designs/factory.ts'
import type { LayerInput } from '../../drawing/index.ts'
import { GREETING, startCardShop } from './factory.ts'

const QR: LayerInput = {
  id: 'code',
  type: 'qr',
  x: 40,
  y: 25,
  width: 25,
  height: 25,
  value: 'https://x.example/{{code}}',
}

interface Fault {
  code: string
  pointer: string
  detail: string
  layer: string
}

test('orders and quotes refuse texts that cannot be printed, with a pointer to each', async (t) => {
  const shop = await startCardShop(t)
  const { request, customer } = shop
  const pair = textLayer('{{first}} {{last}}', { id: 'pair', y: 20, width: 40, height: 6 })
  const designId = await shop.finalize([{ ...GREETING, height: 6 } as LayerInput, pair, QR])
  const fine = { name: 'Ann', first: 'Ann', last: 'Lee', code: '1' }
  const attempt = async (path: string, ...data: object[]) => {
    const body = shop.basket(designId, ...(data as Record<string, string>[]))
    const answer = await request('POST', path, { token: customer.token, body })
    return { ...answer, faults: (answer.body.errors ?? []) as Fault[] }
  }
  const placesOf = ({ faults }: { faults: Fault[] }) => faults.map(({ code, pointer }) => [code, pointer])

  const wordy = 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff'
  const refused: [object, [string, string][]][] = [
    [{ ...fine, name: wordy }, [['text_overflow', '/items/1/data/name']]],
    // A name with an unassigned code point, for which no font has a glyph.
    [{ ...fine, name: 'A\u0378' }, [['glyphs_missing', '/items/1/data/name']]],
    [{ ...fine, last: wordy }, [['text_overflow', '/items/1/data/last']]],
    [
      { ...fine, first: 'Wolfgang Amadé', last: 'Mozart of Salzburg' },
      [
        ['text_overflow', '/items/1/data/first'],
        ['text_overflow', '/items/1/data/last'],
      ],
    ],
  ]
  for (const [data, places] of refused) {
    for (const path of ['/quotes', '/orders']) {
      const answer = await attempt(path, fine, data)
      assert.deepEqual([answer.status, answer.body.code], [422, 'preflight_failed'], JSON.stringify(data))
      assert.deepEqual(placesOf(answer), places)
      for (const fault of answer.faults) assert.ok(fault.detail.length > 0 && fault.layer.startsWith('/placements/0/'))
    }
  }
  // This text causes only a warning: the modules of its QR code are small.
  assert.equal((await attempt('/orders', { ...fine, code: 'x'.repeat(300) })).status, 201)
  assert.equal((await shop.call('GET', '/orders')).data.length, 1)
})

test('a text too long for a QR code is refused', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([{ ...QR, errorCorrection: 'H' } as LayerInput])
  const { token } = shop.customer
  const body = shop.basket(designId, { code: 'x'.repeat(1800) })
  const answer = await shop.request('POST', '/orders', { token, body })
  const [fault] = answer.body.errors
  assert.deepEqual([answer.status, fault.code, fault.pointer], [422, 'qr_value_too_long', '/items/0/data/code'])
})

test('texts beyond the limits of a document are refused before layout', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([textLayer('{{a}}'.repeat(30), { width: 65, height: 45, fontSizePt: 8 })])
  const { token } = shop.customer
  const body = shop.basket(designId, { a: 'x '.repeat(1000) })
  const answer = await shop.request('POST', '/orders', { token, body })
  const [fault] = answer.body.errors
  assert.deepEqual([answer.status, fault.code, fault.pointer], [422, 'too_much_text', '/items/0/data/a'])
  assert.deepEqual([fault.measured, fault.limit], [60_000, 10_000])
})

test('an order with too much text to check is refused', async (t) => {
  const shop = await startCardShop(t)
  const layer = textLayer('{{a}}{{a}}{{a}}{{a}}', { x: 5, y: 4, width: 75, height: 47, fontSizePt: 4 })
  const designId = await shop.finalize([layer])
  const { token } = shop.customer
  // Equal items are checked once, so each text contains its index.
  const text = (index: number) => ({ a: `${index} ${'x '.repeat(280)}` })
  const many = shop.basket(designId, ...Array.from({ length: 100 }, (_, index) => text(index)))
  const answer = await shop.request('POST', '/orders', { token, body: many })
  assert.deepEqual([answer.status, answer.body.code], [422, 'items_too_long'])
  const equal = shop.basket(designId, ...Array.from({ length: 100 }, () => text(0)))
  const checked = await shop.request('POST', '/orders', { token, body: equal })
  assert.equal(checked.status, 201)
})
