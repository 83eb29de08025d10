import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { documentOf, textLayer } from '../../../src/designs/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { textField, until } from '../../lib/pages/open-editor.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

test('an administrator renames a template, archives it and restores it', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const { body: products } = await service.request('GET', '/products?limit=100', { token })
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const body = { productId: product.id, variantId: product.variants[0].id, document: documentOf([textLayer('Ada')]) }
  const { body: draft } = await service.request('POST', '/designs', { token, body })
  const wanted = { designId: draft.id, name: 'Autumn', categories: ['Seasons'] }
  const { body: template } = await service.request('POST', '/templates', { token, body: wanted })
  const read = async () => (await service.request('GET', `/templates/${template.id}`)).body

  const page = await openConsole(shop, admin, '/catalogue/templates')
  await link(page, 'Business card').waitFor()
  await expectAccessible(page, 'the templates')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the templates')
  await button(page, 'Change Autumn').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('')
  await dialog.getByText('Fill this in.').waitFor()
  await expectAccessible(page, 'a template without a name')
  await dialog.getByLabel('Name').fill('Autumn leaves')
  await dialog.getByLabel('Categories').fill('Seasons, Leaves')
  await button(page, 'Save').click()
  await page.getByText('“Autumn leaves” is saved.').waitFor()
  const { name, categories } = await read()
  assert.deepEqual([name, categories], ['Autumn leaves', ['Seasons', 'Leaves']])

  await button(page, 'Archive Autumn leaves').click()
  await dialog.getByRole('button', { name: 'Archive' }).click()
  await heading(page, 'Templates').waitFor()
  await page.getByText('No templates here').waitFor()
  assert.equal((await read()).code, 'template_not_found')
  await page.goto(`${shop.url}/console/catalogue/templates?status=archived&lang=de`)
  await button(page, 'Wiederherstellen Autumn leaves').click()
  await expectAccessible(page, 'the question before a template is restored')
  await dialog.getByRole('button', { name: 'Wiederherstellen' }).click()
  await page.getByText('„Autumn leaves“ ist wieder aktiv.').waitFor()
  assert.equal((await read()).status, 'active')
})

test('an administrator begins a template in the editor, and publishes the draft', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/catalogue/templates')
  await page.getByText('No templates here').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New template' })
  await dialog.getByText('You have no drafts. Begin with an empty design.').waitFor()
  await dialog.getByRole('radio', { name: 'An empty design' }).click()
  await expectAccessible(page, 'an empty design for a template')
  await dialog.getByLabel('Product').selectOption({ label: 'Business card' })
  await dialog.getByLabel('Name').fill('Spring')
  await dialog.getByRole('button', { name: 'Open the editor' }).click()
  await page.waitForURL(/\/designs\/dsn_\w+$/)
  await button(page, 'Add a text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type('Hello')
  await page.keyboard.press('Escape')
  const token = admin.accessToken
  const [, designId] = /(dsn_\w+)$/.exec(page.url()) ?? []
  const readDraft = async () => JSON.stringify((await service.request('GET', `/designs/${designId}`, { token })).body)
  await until(readDraft, (draft) => draft.includes('Hello'))

  await page.goto(`${shop.url}/console/catalogue/templates`)
  await button(page, 'New template').click()
  await dialog.getByLabel('Draft', { exact: true }).selectOption({ label: 'Spring – Business card' })
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Spring', 'the name of the draft')
  await dialog.getByLabel('Name').fill('Spring card')
  await dialog.getByLabel('Categories').fill('Seasons')
  await expectAccessible(page, 'a draft that becomes a template')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Customers can start from “Spring card” now.').waitFor()
  await button(page, 'Archive Spring card').waitFor()
  const { body } = await service.request('GET', '/templates')
  const [template] = body.data
  assert.deepEqual([template.name, template.categories], ['Spring card', ['Seasons']])
  assert.match(JSON.stringify(template.document), /Hello/)
})

test('an administrator uploads a colour profile, sees which products use it, and removes an unused one', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes the refused file to its console.
  shop.expectErrors(/status of 422/)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } }).withIccProfile('cmyk')
  const { icc } = await sharp(await picture.tiff().toBuffer()).metadata()
  assert.ok(icc)
  const page = await openConsole(shop, admin, '/catalogue/color-profiles')
  await page.getByText('No colour profiles').waitFor()
  const input = page.getByLabel('Upload a colour profile').and(page.locator('input'))
  await input.setInputFiles({
    name: 'a.icc',
    mimeType: 'application/vnd.iccprofile',
    buffer: Buffer.from('no profile'),
  })
  await page.getByText('This file cannot be used. Choose an ICC profile').waitFor()
  await expectAccessible(page, 'a file that is no profile')
  await input.setInputFiles({ name: 'cmyk.icc', mimeType: 'application/vnd.iccprofile', buffer: icc })
  await page.getByText('The colour profile is uploaded.').waitFor()
  await page.getByRole('cell', { name: 'CMYK' }).waitFor()
  const [profile] = (await service.request('GET', '/color-profiles', { token })).body.data
  await button(page, `Remove ${profile.description}`).waitFor()
  const { body: products } = await service.request('GET', '/products?limit=100', { token })
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const setProfile = (outputProfileId: string | null) =>
    service.request('PATCH', `/products/${product.id}`, { token, body: { outputProfileId } })
  assert.equal((await setProfile(profile.id)).status, 200)

  await page.goto(`${shop.url}/console/catalogue/color-profiles?lang=de`)
  await link(page, 'Business card').waitFor()
  assert.equal(await button(page, `Entfernen ${profile.description}`).count(), 0)
  await expectAccessible(page, 'a colour profile that is used')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the colour profiles')
  await page.setViewportSize({ width: 1280, height: 800 })
  assert.equal((await setProfile(null)).status, 200)
  await page.reload()
  await button(page, `Entfernen ${profile.description}`).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Entfernen' }).click()
  await page.getByText('Keine Farbprofile').waitFor()
  assert.deepEqual((await service.request('GET', '/color-profiles', { token })).body.data, [])
})
