import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CARD } from '../../src/designs/factory.ts'
import { noBrowser } from '../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../lib/browser/watched-page.ts'
import { heading, link, startShop } from '../lib/pages/shop.ts'

test('without script, the catalogue and a product show pictures and prices', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const viewport = { width: 360, height: 740 }
  const { open, url } = await startShop(t, { javaScriptEnabled: false, locale: 'de-DE', viewport })
  const page = await open(url)
  await page
    .getByText(/^ab .* pro Stück$/)
    .first()
    .waitFor()
  await expectNoSidewaysScroll(page, 'catalogue')
  await link(page, 'Mug').click()
  await heading(page, 'Mug').waitFor()
  const picture = page.getByRole('img').first()
  await picture.waitFor()
  const width = await picture.evaluate(async (image) => {
    const { decode, naturalWidth } = image as unknown as { decode(): Promise<void>; naturalWidth: number }
    await decode.call(image)
    return naturalWidth
  })
  assert.ok(width > 0)
  await page.getByRole('table', { name: 'Preise' }).waitFor()
  await page.getByRole('heading', { name: 'Lieferung' }).waitFor()
  await page.getByText('4–7 Werktage').waitFor()
  await expectNoSidewaysScroll(page, 'product')
})

test('with script, a page replaces what was readable, and requests no product that it has', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { context, open, url } = await startShop(t)
  const requested: string[] = []
  context.on('request', (request) => requested.push(new URL(request.url()).pathname))
  const page = await open(url)
  await link(page, 'Mug').first().waitFor()
  await page.locator('#readable').waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
  await expectAccessible(page, 'catalogue')
  const href = (await link(page, 'Mug').getAttribute('href')) ?? ''
  await page.goto(url + href)
  await page.getByRole('button', { name: 'Design it' }).waitFor()
  await page.getByText('4–7 working days').waitFor()
  assert.deepEqual(
    requested.filter((path) => /^\/v1\/(products(\/[^/]+)?|shipping-methods)$/.test(path)),
    [],
  )
})

test('a product that is reached from the catalogue states the delivery, too', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t, { viewport: { width: 360, height: 740 } })
  const page = await open(url)
  await page.locator('#readable').waitFor({ state: 'detached' })
  await link(page, 'Mug').click()
  await heading(page, 'Mug').waitFor()
  await page.getByRole('heading', { name: 'Delivery' }).waitFor()
  await page.getByText('4–7 working days').waitFor()
  await expectNoSidewaysScroll(page, 'product')
  await expectAccessible(page, 'product')
})

// A description that exceeds the stack of the reader would otherwise leave an empty page.
test('a description with any text leaves the page of its product usable, with and without script', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, service, url } = await startShop(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const hostile = `Nice <pre> <meta http-equiv=refresh content=0;url=//evil.example a\n\n${'>'.repeat(19_900)}`
  const body = { ...CARD, name: 'Odd', descriptionMarkdown: hostile }
  const { body: product } = await service.request('POST', '/products', { token, body })
  assert.equal((await service.request('GET', `${service.origin}/products/${product.id}`)).status, 200)
  const page = await open(`${url}/products/${product.id}`)
  await page.getByRole('button', { name: 'Design it' }).waitFor()
  await page.getByText('Nice <pre> <meta').waitFor()
  assert.equal(await page.locator('meta[http-equiv=refresh]').count(), 0)
})
