import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { CARD } from '../../designs/factory.ts'
import { storedPage } from '../pages.ts'
import { readShopTexts } from '../shop/shop-texts.ts'
import { createCataloguePages } from './catalogue-pages.ts'

/** Starts a service, and the pages of its catalogue as a second process has them. */
async function start(t: TestContext) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const [english, german] = readShopTexts()
  assert.ok(english !== undefined && german !== undefined)
  let rendered = 0
  const render = ({ main = '' }: { main?: string }) => {
    rendered += 1
    return storedPage('text/html', main)
  }
  let look = {}
  const pages = createCataloguePages({
    db: service.db,
    pages: { render, look: () => look },
    settings: () => ({ shopName: 'Shop' }),
  })
  return {
    countRendered: () => rendered,
    changeLook: () => {
      look = {}
    },
    add: async (product: object) =>
      (await service.request('POST', '/products', { token, body: { ...CARD, ...product } })).body.id as string,
    change: (id: string, body: object) => service.request('PATCH', `/products/${id}`, { token, body }),
    names: async (filter = {}, texts = english) =>
      [...(await pages.find(filter, texts)).bytes.toString().matchAll(/<a href="[^"]*">([^<]*)</g)].map(
        ([, name]) => name,
      ),
    german,
  }
}

// Everyone can read the catalogue. Without this, a few visitors would occupy the process with reading its products.
test('a page of the catalogue is rendered once until one of its products or the look of the shop changes', async (t) => {
  const { add, change, names, german, countRendered, changeLook } = await start(t)
  const first = await add({ name: 'First', categories: ['Cards'] })
  const all = await Promise.all(Array.from({ length: 10 }, () => names()))
  assert.deepEqual([all.flat(), countRendered()], [Array(10).fill('First'), 1])
  await names({}, german)
  await names({ category: 'Cards' })
  assert.equal(countRendered(), 3)
  await change(first, { name: 'Renamed' })
  assert.deepEqual([await names(), await names()], [['Renamed'], ['Renamed']])
  await add({ name: 'Second', sort: -1 })
  assert.deepEqual([await names(), await names()].flat(), ['Second', 'Renamed', 'Second', 'Renamed'])
  await change(first, { sort: -2 })
  assert.deepEqual([await names(), await names()].flat(), ['Renamed', 'Second', 'Renamed', 'Second'])
  await change(first, { status: 'archived' })
  assert.deepEqual([await names(), await names()], [['Second'], ['Second']])
  assert.equal(countRendered(), 7)
  assert.deepEqual(await names({ category: 'Cards' }), [])
  assert.equal(countRendered(), 8)
  changeLook()
  assert.deepEqual([await names(), await names()], [['Second'], ['Second']])
  assert.equal(countRendered(), 9)
})

test('results of searches are not kept', async (t) => {
  const { add, names, countRendered } = await start(t)
  await add({ name: 'First' })
  assert.deepEqual([await names({ q: 'first' }), await names({ q: 'first' })], [['First'], ['First']])
  assert.equal(countRendered(), 2)
})
