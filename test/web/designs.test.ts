import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../lib/browser/browser.ts'
import { button, heading, link, startDesign, startShop } from '../lib/pages/shop.ts'

test('a guest goes from the catalogue to the editor and back with one click', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t)
  const page = await open(url)
  await page.getByText('from €0.15 each').waitFor()
  const id = await startDesign(page, 'A6 postcard')
  const editor = page.locator('platen-editor')
  assert.equal(await editor.getAttribute('design'), id)
  assert.equal(await editor.evaluate((element) => typeof (element as { client?: object }).client), 'object')
  await link(page, 'Back to my designs').click()
  await link(page, /^A6 postcard, /).waitFor()
  // The session continues after the page was loaded again.
  await page.reload()
  await link(page, /^A6 postcard, /).click()
  await editor.waitFor()
  assert.equal(await editor.getAttribute('design'), id)
})

test('a design is renamed, duplicated, and archived when the time for undo is over', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const page = await open(url)
  await startDesign(page, 'Mug')
  await link(page, 'Back to my designs').click()
  const act = async (name: RegExp, action: string) => {
    await button(page, name).first().click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await act(/^Actions for Mug/, 'Rename')
  await page.getByLabel('Name of the design').fill('Our mug')
  await button(page, 'Save').click()
  await link(page, 'Our mug').waitFor()
  await act(/^Actions for Our mug$/, 'Duplicate')
  await page.locator('platen-editor').waitFor()
  await link(page, 'Back to my designs').click()
  await link(page, 'Our mug').nth(1).waitFor()

  const archived = () => service.db.selectFrom('designs').select('name').where('status', '=', 'archived').execute()
  await act(/^Actions for Our mug$/, 'Delete')
  await link(page, 'Our mug').nth(1).waitFor({ state: 'detached' })
  await button(page, 'Undo').click()
  await link(page, 'Our mug').nth(1).waitFor()
  assert.deepEqual(await archived(), [])
  await act(/^Actions for Our mug$/, 'Delete')
  const sent = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Close' }).click()
  assert.equal((await sent).status(), 204)
  assert.deepEqual(await archived(), [{ name: 'Our mug' }])
})

test('a finished design shows its sides, and its print file is downloaded without a credential', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const page = await open(url)
  const id = await startDesign(page, 'Business card')
  // The guest's own client fills and finalizes the design, as the editor does.
  await page.locator('platen-editor').evaluate(async (element, designId) => {
    interface Client {
      designs: { change(id: string, body: object): Promise<object>; finalize(id: string): Promise<object> }
    }
    const { client } = element as unknown as { client: Client }
    const layer = {
      id: 'a',
      type: 'text',
      x: 8,
      y: 20,
      width: 60,
      height: 12,
      text: 'Ada',
      fontFamily: 'Inter',
      fontSizePt: 20,
    }
    await client.designs.change(designId, {
      document: { version: 1, placements: [{ printAreaId: 'front', layers: [layer] }] },
    })
    await client.designs.finalize(designId)
    element.dispatchEvent(new Event('finalized'))
  }, id)
  await page.waitForURL(`${url}/designs/${id}/finished`)
  await page.getByRole('img', { name: /: Front$/ }).waitFor()
  await page.getByText('Everything is ready for printing.').waitFor()
  const download = page.waitForEvent('download')
  await link(page, 'Download the print file').click()
  assert.match((await download).suggestedFilename(), /^Business card, .*, \d{4}-\d\d-\d\d\.pdf$/)

  await button(page, 'Change it').click()
  await page.locator('platen-editor').waitFor()
  const copies = await service.db.selectFrom('designs').select('status').orderBy('created_at').execute()
  assert.deepEqual(
    copies.map(({ status }) => status),
    ['finalized', 'draft'],
  )
  await page.goBack()
  await heading(page, /^Business card/).waitFor()
})

test('pictures of products are loaded in a size that the service offers', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t, { viewport: { width: 2560, height: 1200 } })
  const page = await open(url)
  await link(page, 'T-shirt').click()
  const picture = page.getByRole('img', { name: /^A white T-shirt/ })
  await picture.waitFor()
  const width = await picture.evaluate(async (element) => {
    const image = element as unknown as { decode(): Promise<void>; naturalWidth: number }
    await image.decode()
    return image.naturalWidth
  })
  assert.ok(width > 0)
})
