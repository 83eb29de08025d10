import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { noBrowser } from '../../lib/browser/browser.ts'
import {
  openEditor,
  showPanel,
  stageOf,
  type TestLayer,
  textField,
  until,
  untilAnnounced,
} from '../../lib/pages/open-editor.ts'
import { button } from '../../lib/pages/shop.ts'

const picture = () =>
  sharp({ create: { width: 900, height: 600, channels: 3, background: '#102030' } })
    .jpeg()
    .toBuffer()

const overlap = (a: TestLayer, b: TestLayer): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const rowNames = (page: Page): Promise<string[]> =>
  page
    .getByRole('treegrid', { name: 'Layers' })
    .getByRole('row')
    .evaluateAll((rows: { getAttribute(name: string): string | null }[]) =>
      rows.map((row) => row.getAttribute('aria-label') ?? ''),
    )

test('a design without layers says how to begin, until it has one', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers } = await openEditor(t)
  const hint = page.getByText('Begin with a text or a photo.')
  await hint.waitFor()
  await button(page, 'Add a photo').click()
  await button(page, 'Upload photos').waitFor()
  await button(page, 'Add a text').click()
  await hint.waitFor({ state: 'detached' })
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type('Hello')
  await untilLayers(([layer]) => layer?.text === 'Hello')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Delete')
  await hint.waitFor()
})

test('a first visitor is guided instead of blamed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, url, designId, untilLayers, layers } = await openEditor(t)
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }

  await t.test('an empty design asks to begin, and is not finalized', async () => {
    await button(page, 'Check: nothing to check yet').waitFor()
    await button(page, 'Finalize').click()
    await page.getByText('Your design is still empty. Insert a text or a photo to begin.').first().waitFor()
    assert.equal(page.url(), `${url}/designs/${designId}`)
  })

  await t.test('the example link of a new code is selected, so that typing replaces it', async () => {
    await button(page, 'QR code').click()
    await untilLayers(([layer]) => layer?.value === 'https://example.com')
    await page.getByText('This link is an example. Type your own.').waitFor()
    const field = page.getByLabel('Link or text in the code')
    await until(
      () => field.evaluate((element) => (element.getRootNode() as unknown as ShadowLike).activeElement === element),
      (isFocused) => isFocused,
    )
    await page.keyboard.type('https://shop.example/a')
    await untilLayers(([layer]) => layer?.value === 'https://shop.example/a')
    await page.getByText('This link is an example.').waitFor({ state: 'detached' })
    await button(page, 'Check: no problems, no hints').waitFor()
  })

  await t.test('new layers lie beside each other', async () => {
    await button(page, 'Text').click()
    await textField(page).waitFor({ state: 'attached' })
    await page.keyboard.type('Hello')
    await press('Escape')
    await button(page, 'Shape').click()
    await page.getByRole('menuitem', { name: 'Line' }).click()
    const all = await untilLayers(({ length }) => length === 3)
    for (const [i, one] of all.entries()) {
      for (const other of all.slice(i + 1)) assert.ok(!overlap(one, other), JSON.stringify([one, other]))
    }
  })

  await t.test(
    'photos are named by their files and have their picture in the list, and others are numbered',
    async () => {
      await showPanel(page, 'Photos')
      const chooser = page.waitForEvent('filechooser')
      await button(page, 'Upload photos').click()
      await (await chooser).setFiles({ name: 'Lake at dusk.jpg', mimeType: 'image/jpeg', buffer: await picture() })
      await untilLayers(({ length }) => length === 4)
      await page.getByRole('button', { name: /^Photo, 900 × 600/ }).click()
      await untilLayers(({ length }) => length === 5)
      await showPanel(page, 'Layers')
      await button(page, 'Shape').click()
      await page.getByRole('menuitem', { name: 'Line' }).click()
      await untilLayers(({ length }) => length === 6)
      await until(
        () => rowNames(page),
        (names) => names.join('|') === 'Line 2|Lake at dusk 2|Lake at dusk|Line|Hello|QR code: https://shop.example/a',
      )
      await page.locator('.pe-layer-mark .pe-thumbnail:not(.pe-pending)').nth(1).waitFor()
    },
  )

  await t.test('a locked layer of the own design can be renamed', async () => {
    await page.getByRole('row', { name: 'Line 2' }).click()
    await button(page, 'Lock Line 2').click()
    await page.getByRole('row', { name: 'Line 2, locked' }).focus()
    await press('F2')
    await page.getByRole('textbox', { name: 'Name of the layer' }).fill('Divider')
    await press('Enter')
    await page.getByRole('row', { name: 'Divider, locked' }).waitFor()
    await button(page, 'Unlock Divider').click()
  })

  await t.test('problems and hints are counted apart, and a fix says what it does and that it is done', async () => {
    await press('Control+a', 'Delete')
    await untilLayers(({ length }) => length === 0)
    await button(page, 'Text').click()
    await textField(page).waitFor({ state: 'attached' })
    await page.keyboard.type('Edge')
    await press('Escape')
    await showPanel(page, 'Details')
    const size = page.getByRole('textbox', { name: 'Size' })
    await size.fill('5')
    await size.press('Enter')
    const fromTop = page.getByRole('textbox', { name: 'From top' })
    await fromTop.fill('-6')
    await fromTop.press('Enter')
    await button(page, 'Check: 1 problem, 1 hint').click()
    await page.getByText('1 problem stands in the way of finalizing. 1 hint does not.').waitFor()
    await page.getByRole('button', { name: /^Make larger to 7\spt: The text is hard to read/ }).waitFor()
    const move = page.getByRole('button', { name: /^Move inside the safe margin: / })
    assert.equal(await move.textContent(), 'Move inside the safe margin')
    await move.click()
    await untilAnnounced(page, 'Fixed: Move inside the safe margin')
    await button(page, 'Check: no problems, 1 hint').waitFor()
  })

  await t.test('Escape in the colour code brings back the colour chosen before, and only then closes', async () => {
    await showPanel(page, 'Details')
    await page.getByRole('button', { name: /^Text colour: / }).click()
    const picker = page.getByRole('dialog', { name: 'Text colour' })
    await picker.getByRole('button', { name: /^Wine red / }).click()
    const colorOf = async (): Promise<unknown> => ((await layers())[0] as { color?: string } | undefined)?.color
    await until(colorOf, (color) => color === '#7A1F2B')
    const field = picker.getByRole('textbox', { name: 'Colour code' })
    await field.fill('#00FF00')
    await until(colorOf, (color) => color === '#00FF00')
    await field.press('Escape')
    await until(colorOf, (color) => color === '#7A1F2B')
    assert.equal(await field.inputValue(), '#7A1F2B')
    await field.fill('abc')
    await field.press('Escape')
    assert.equal(await field.inputValue(), '#7A1F2B')
    await field.press('Escape')
    await picker.waitFor({ state: 'detached' })
    assert.equal(await colorOf(), '#7A1F2B')
    await page.getByRole('heading', { level: 2, name: 'Details' }).waitFor()
    await stageOf(page).waitFor()
  })
})

test('the colour of a text is judged on the picture below it, not on white paper', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers } = await openEditor(t)
  await showPanel(page, 'Photos')
  const chooser = page.waitForEvent('filechooser')
  await button(page, 'Upload photos').click()
  await (await chooser).setFiles({ name: 'night.jpg', mimeType: 'image/jpeg', buffer: await picture() })
  await untilLayers(([layer]) => layer?.type === 'image')
  await showPanel(page, 'Details')
  await button(page, 'Fill the side').click()
  await button(page, 'Text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type('Night')
  await page.keyboard.press('Escape')
  const hint = page.getByText('This colour is hard to read on what lies below the text.')
  await hint.waitFor()
  await page.getByRole('button', { name: /^Text colour: / }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^White / })
    .click()
  await page.keyboard.press('Escape')
  await hint.waitFor({ state: 'detached' })
  assert.equal(await page.getByText('hard to read').count(), 0)
})

test('the lines of the page are explained until the customer hides that', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers } = await openEditor(t)
  const legend = page.getByRole('list', { name: 'Lines on the page' })
  await legend.getByRole('listitem').nth(2).waitFor()
  assert.deepEqual(await legend.getByRole('listitem').allTextContents(), [
    'Cut edge: 148 × 105\u00a0mm',
    'Bleed: 3\u00a0mm, is cut off',
    'Safe margin: 4\u00a0mm, keep texts inside',
  ])
  const [trim, lines] = await Promise.all([page.locator('.pe-trim').boundingBox(), legend.boundingBox()])
  assert.ok(trim !== null && lines !== null && trim.y + trim.height <= lines.y, 'the page is not behind its legend')
  await button(page, 'Shape').click()
  await page.getByRole('menuitem', { name: 'Rectangle' }).click()
  await untilLayers(({ length }) => length === 1)
  await legend.click()
  await button(page, 'Lines on the page').click()
  await legend.waitFor({ state: 'detached' })
  assert.equal(await page.locator('.pe-selected').count(), 1, 'the layer is still selected')
  await page.reload()
  await button(page, 'Lines on the page').waitFor()
  assert.equal(await button(page, 'Lines on the page').getAttribute('aria-expanded'), 'false')
})

test('items of a CSV file are offered only to a page that takes them', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers } = await openEditor(t)
  await button(page, 'Text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type('Dear {{name}}')
  await untilLayers(([layer]) => layer?.text === 'Dear {{name}}')
  await page.keyboard.press('Escape')
  await page.locator('platen-editor').evaluate((element: PageElement) => element.removeAttribute('takes-items'))
  await showPanel(page, 'Fields')
  await button(page, 'Fill many from a CSV file').click()
  const dialog = page.getByRole('dialog')
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose a CSV file' }).click()
  const csv = { name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from('name\nAda\nGrace\n') }
  await (await chooser).setFiles(csv)
  await dialog.getByText('Item 2', { exact: true }).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Use 2 items' }).count(), 0)
  const items = page.locator('platen-editor').evaluate(
    (element: PageElement) =>
      new Promise((resolve) => {
        element.addEventListener('items', ({ detail }) => resolve(detail))
        element.setAttribute('takes-items', '')
      }),
  )
  await dialog.getByRole('button', { name: 'Use 2 items' }).click()
  assert.deepEqual(await items, {
    items: [
      { data: { name: 'Ada' }, quantity: 1 },
      { data: { name: 'Grace' }, quantity: 1 },
    ],
  })
})

interface ShadowLike {
  activeElement: unknown
}

interface PageElement {
  addEventListener(type: string, listener: (event: { detail: unknown }) => void): void
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
}

test('the editor offers the colours of the shop in place of its own', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers } = await openEditor(t, { env: { PLATEN_SHOP_PALETTE: '#c8322b,#123456' } })
  await button(page, 'Text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type('Ours')
  await page.keyboard.press('Escape')
  await showPanel(page, 'Details')
  await page.getByRole('button', { name: /^Text colour: / }).click()
  const swatches = page.getByRole('toolbar', { name: 'Print colours' }).getByRole('button')
  await swatches.first().waitFor()
  assert.equal(await swatches.count(), 2)
  await swatches.last().click()
  await untilLayers(([layer]) => (layer as { color?: string } | undefined)?.color === '#123456')
})
