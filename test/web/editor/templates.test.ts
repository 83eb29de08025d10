import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { untilAnnounced } from '../../lib/pages/open-editor.ts'
import { orderCart } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'
import { editorReady, nudge, select, storedLayers, textLayer, untilStored } from '../../lib/pages/stored-layers.ts'
import { until } from '../../lib/until.ts'

const LAYERS = [
  { id: 'frame', type: 'shape', shape: 'rect', x: -3, y: -3, width: 154, height: 111, fill: '#f4e9d8' },
  textLayer('Logo', { lock: { move: true, edit: true, style: true, remove: true } }),
  textLayer('Greeting', { y: 40, lock: { move: true, style: true, remove: true } }),
  textLayer('Name', { y: 60, text: 'Dear {{name}}', lock: { remove: true } }),
]

/** Publishes a template for a postcard, as an administrator does. */
async function publishTemplate({ service }: Pick<Shop, 'service'>): Promise<string> {
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const { body: products } = await service.request('GET', '/products?q=postcard')
  const [product] = products.data
  const sides = [
    { printAreaId: 'front', layers: LAYERS },
    { printAreaId: 'back', layers: [textLayer('Back')] },
  ]
  const placements = sides.filter(({ printAreaId }) =>
    product.printAreas.some(({ id }: { id: string }) => id === printAreaId),
  )
  const body = { productId: product.id, variantId: product.variants[0].id, document: { version: 1, placements } }
  const draft = await service.request('POST', '/designs', { token, body })
  assert.equal(draft.status, 201, draft.text)
  const template = await service.request('POST', '/templates', {
    token,
    body: { designId: draft.body.id, name: 'Warm greetings', categories: ['Cards'] },
  })
  assert.equal(template.status, 201, template.text)
  return template.body.id
}

test('the lines of a CSV file become items of the cart when the design is finalized', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  await publishTemplate(shop)
  const page = await shop.open(shop.url)
  await link(page, 'A6 postcard').click()
  await button(page, 'Warm greetings').click()
  await editorReady(page)
  await button(page, 'Fields').click()
  await button(page, 'Fill many from a CSV file').click()
  const dialog = page.getByRole('dialog')
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose a CSV file' }).click()
  const csv = { name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from('name\nAda\nGrace\nEmmy\n') }
  await (await chooser).setFiles(csv)
  await dialog.getByRole('button', { name: 'Use 3 items' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.reload()
  await editorReady(page)
  await button(page, 'Finalize').click()
  await page.waitForURL(/\/finished$/)
  await page.getByText('3 items of your CSV file are in your cart.').waitFor()
  await expectAccessible(page, 'finished design with items')
  // The page adds the items once.
  await page.reload()
  await page.getByText('Everything is ready for printing.').waitFor()
  await link(page, 'Cart, 3 items').click()
  const names = page.getByRole('textbox', { name: 'name' })
  await names.nth(2).waitFor()
  const values = await Promise.all([0, 1, 2].map((index) => names.nth(index).inputValue()))
  assert.deepEqual(values, ['Ada', 'Grace', 'Emmy'])
  const orderId = await orderCart(page, { email: 'ada@example.com' })
  const items = await shop.service.db.selectFrom('order_items').select('id').execute()
  assert.equal(items.length, 3, orderId)
})

test('a guest starts from a template, changes what its locks allow, and finalizes the design', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const templateId = await publishTemplate(shop)
  const page = await shop.open(shop.url)
  await link(page, 'A6 postcard').click()
  await heading(page, 'A6 postcard').waitFor()
  await page.getByRole('heading', { name: 'Start from a template' }).waitFor()
  const picture = button(page, 'Warm greetings').locator(`img[src*="/v1/templates/${templateId}/preview"]`)
  await picture.scrollIntoViewIfNeeded()
  const width = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
  await until('its picture', async () => (await width()) > 0)
  await button(page, 'Warm greetings').click()
  await editorReady(page)
  const designId = /dsn_\w+$/.exec(page.url())?.[0] ?? ''

  await nudge(page, 'Logo', 'ArrowRight')
  await untilAnnounced(page, 'Logo is locked and cannot be moved.')
  await page.keyboard.press('Delete')
  await untilAnnounced(page, 'Logo is locked and cannot be deleted.')
  await page.getByRole('row', { name: 'Logo, locked' }).focus()
  await page.keyboard.press('F2')
  await page.locator('.pe-reason').getByText('The template protects Logo, so it cannot be renamed.').waitFor()

  await select(page, 'Greeting')
  await button(page, 'Details').click()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Best wishes')
  await untilStored(shop, designId, { id: 'greeting', text: 'Best wishes', x: 20 })

  await button(page, 'Fields').click()
  await page.getByLabel('name', { exact: true }).fill('Ada')
  await nudge(page, 'Dear', 'ArrowRight')
  await untilStored(shop, designId, { id: 'name', text: 'Dear {{name}}', x: 21 })
  const logo = (await storedLayers(shop, designId)).find(({ id }) => id === 'logo')
  assert.deepEqual([logo?.x, logo?.text], [20, 'Logo'])

  await button(page, 'Finalize').click()
  await page.waitForURL(`${shop.url}/designs/${designId}/finished`)
  await page.getByText('Everything is ready for printing.').waitFor()
})
