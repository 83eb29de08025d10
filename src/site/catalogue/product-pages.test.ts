import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { CARD } from '../../designs/factory.ts'
import type { ShippingMethod } from '../../orders/index.ts'
import { storedPage } from '../pages.ts'
import { readShopTexts } from '../shop/shop-texts.ts'
import { createProductPages } from './product-pages.ts'

// Without it, a few visitors of a large product would occupy the process with rendering.
test('a page is rendered once until its product, the shipping methods or the look of the shop change', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token, body: CARD })
  let methods: readonly ShippingMethod[] = []
  let rendered = 0
  const render = ({ title }: { title: string }) => {
    rendered += 1
    return storedPage('text/html', title)
  }
  const settings = { origin: 'http://platen.localhost', shopName: 'Shop' }
  let look = {}
  const pages = createProductPages({
    db: service.db,
    pages: { render, look: () => look },
    settings: () => settings,
    shippingMethods: async () => methods,
  })
  const [english, german] = readShopTexts()
  assert.ok(english !== undefined && german !== undefined)
  const read = async (texts = english) => (await pages.find(product.id, texts))?.bytes.toString()
  const rename = (name: string) => service.request('PATCH', `/products/${product.id}`, { token, body: { name } })
  const names = await Promise.all(Array.from({ length: 10 }, () => read()))
  assert.deepEqual([new Set(names), rendered], [new Set([`${product.name} – Shop`]), 1])
  await read(german)
  assert.equal(rendered, 2)
  for (const name of ['First', 'Second']) {
    await rename(name)
    assert.deepEqual([await read(), await read()], [`${name} – Shop`, `${name} – Shop`])
  }
  assert.equal(rendered, 4)
  methods = []
  await read()
  assert.equal(rendered, 5)
  look = {}
  await read()
  assert.equal(rendered, 6)
  assert.equal(await pages.find('prd_00000000000000000000000000', english), undefined)
})
