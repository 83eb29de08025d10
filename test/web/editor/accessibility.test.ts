import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openEditor, showPanel, textField } from '../../lib/pages/open-editor.ts'
import { button, startShop } from '../../lib/pages/shop.ts'
import { openPostcard, select, textLayer } from '../../lib/pages/stored-layers.ts'

async function expectAccessibleDialog(page: Page, opener: () => Promise<void>, name: string): Promise<void> {
  await opener()
  const dialog = page.getByRole('dialog', { name })
  await dialog.waitFor()
  await expectAccessible(page, name)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

test('every state of the editor is accessible in light and dark', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers, context, designId } = await openEditor(t)
  await expectAccessible(page, 'empty editor')
  await showPanel(page, 'Check')
  await page.getByText('Your design is still empty.').waitFor()
  await expectAccessible(page, 'check of an empty design')
  await showPanel(page, 'Photos')
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor()
  await expectAccessible(page, 'photos')
  await page.getByRole('tab', { name: 'Back' }).click()
  await button(page, 'Text').click()
  await untilLayers(({ length }) => length === 1, 'back')
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.press('Escape')
  await textField(page).waitFor({ state: 'detached' })
  await showPanel(page, 'Check')
  await page.getByText(/The side “Front” is empty/).waitFor()
  await expectAccessible(page, 'check with a problem')
  await page.keyboard.press('Control+z')
  await untilLayers(({ length }) => length === 0, 'back')
  await page.getByRole('tab', { name: 'Front' }).click()
  await page.getByRole('region', { name: 'Canvas: Front' }).waitFor()
  await button(page, 'Text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type('Read me')
  await untilLayers(([layer]) => layer?.text === 'Read me')
  await expectAccessible(page, 'text being typed')
  await page.keyboard.press('Escape')
  await showPanel(page, 'Details')
  await expectAccessible(page, 'text selected with its properties')
  await showPanel(page, 'Layers')
  await expectAccessible(page, 'layers')
  await expectAccessibleDialog(page, () => page.keyboard.press('?'), 'Keyboard shortcuts')
  await expectAccessibleDialog(page, () => button(page, 'History').click(), 'Version history')

  await page.setViewportSize({ width: 390, height: 844 })
  await button(page, 'Insert').waitFor()
  await expectAccessible(page, 'phone with a panel')
  await page.setViewportSize({ width: 1280, height: 800 })

  await button(page, 'Check: no problems, no hints').waitFor()
  // The answer waits, so that the state in between can be looked at.
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await context.route(`**/designs/${designId}/finalize*`, async (route) => {
    await released
    await route.continue()
  })
  await button(page, 'Finalize').click()
  await page.locator('.pe-finalize[data-disabled], .pe-finalize:disabled, .pe-finalize[data-pending]').waitFor()
  await expectAccessible(page, 'finalizing')
  release()
  await page.getByText('Everything is ready for printing.').waitFor()
  await page.getByRole('img', { name: /: Front$/ }).waitFor()
  await page.getByRole('link', { name: 'Download the print file' }).waitFor()
  await expectAccessible(page, 'finished page')
})

test('the editor of a finalized design is accessible, and offers no changes', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const page = await shop.open(shop.url)
  await openPostcard(page, [textLayer('Final'), { ...textLayer('Line', { y: 50 }), group: 'pair' }])
  await page.locator('platen-editor').evaluate(async (element) => {
    interface Design {
      id: string
      productId: string
      variantId: string
      document: object
    }
    interface Editor {
      design: string
      client: {
        designs: {
          get(id: string): Promise<Design>
          create(body: object): Promise<Design>
          finalize(id: string): Promise<Design>
        }
      }
    }
    const editor = element as unknown as Editor
    const { designs } = editor.client
    const { productId, variantId, document } = await designs.get(editor.design)
    const { id } = await designs.create({ name: 'Finished', productId, variantId, document })
    await designs.finalize(id)
    editor.design = id
  })
  await button(page, 'Finalize').and(page.locator(':disabled')).waitFor()
  for (const panel of ['Layers', 'Details', 'Photos', 'Check']) {
    await showPanel(page, panel)
    await expectAccessible(page, `finalized: ${panel}`)
  }
  await select(page, 'Final')
  await showPanel(page, 'Details')
  await expectAccessible(page, 'finalized: a selected text')
  await expectAccessibleDialog(page, () => button(page, 'History').click(), 'Version history')
  await page.keyboard.press('Delete')
  await showPanel(page, 'Layers')
  await page.getByRole('row', { name: 'Final' }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessible(page, 'finalized: phone')
})
