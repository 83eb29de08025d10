import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { noBrowser } from '../../lib/browser/browser.ts'
import { type OpenEditor, openEditor, showPanel, textField } from '../../lib/pages/open-editor.ts'
import { button, link } from '../../lib/pages/shop.ts'
import { openPdf } from '../../lib/pdfium.ts'

const TEXTS = ['Greetings from Málaga', 'تحيات من البحر', 'समुद्र से नमस्ते']

/** A picture with enough pixels for the whole card at 300 dpi. */
const photo = () =>
  sharp({ create: { width: 1_800, height: 1_300, channels: 3, background: '#3b7fb8' } })
    .jpeg()
    .toBuffer()

/** Inserts a text, types it on the canvas, and moves it to a height. */
async function addText({ page, untilLayers }: OpenEditor, text: string, side: string, fromTop: number): Promise<void> {
  await button(page, 'Text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type(text)
  const typed = await untilLayers((layers) => layers.at(-1)?.text === text, side)
  await page.keyboard.press('Escape')
  await setNumber(page, 'From top', fromTop)
  await untilLayers((layers) => layers.find(({ id }) => id === typed.at(-1)?.id)?.y === fromTop, side)
}

async function setNumber(page: Page, name: string, value: number): Promise<void> {
  const field = page.getByRole('textbox', { name, exact: true })
  await field.fill(String(value))
  await field.press('Enter')
}

// Whether blanks are characters of their own depends on the font.
const withoutBlanks = (parts: readonly string[]): string => parts.join('').replaceAll(/\s/g, '')

test('a guest designs both sides of a postcard, and the print file has what was designed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const editor = await openEditor(t)
  const { page, untilLayers, designId, url } = editor
  await showPanel(page, 'Photos')
  const chooser = page.waitForEvent('filechooser')
  await button(page, 'Upload photos').click()
  await (await chooser).setFiles({ name: 'sea.jpg', mimeType: 'image/jpeg', buffer: await photo() })
  await untilLayers((layers) => layers[0]?.type === 'image')

  await showPanel(page, 'Details')
  for (const [i, text] of TEXTS.entries()) await addText(editor, text, 'front', 10 + i * 20)
  await button(page, 'Shape').click()
  await page.getByRole('menuitem', { name: 'Ellipse' }).click()
  await untilLayers((layers) => layers.at(-1)?.shape === 'ellipse')

  await page.getByRole('tab', { name: 'Back' }).click()
  await addText(editor, 'Back of the card', 'back', 12)
  await button(page, 'QR code').click()
  const value = page.getByLabel('Link or text in the code')
  await value.fill('https://example.com/postcard')
  await value.blur()
  await untilLayers((layers) => layers.at(-1)?.value === 'https://example.com/postcard', 'back')

  await button(page, 'Check: no problems, no hints').waitFor()
  await button(page, 'Finalize').click()
  await page.waitForURL(`${url}/designs/${designId}/finished`)
  await page.getByRole('img', { name: /: Front$/ }).waitFor()
  await page.getByRole('img', { name: /: Back$/ }).waitFor()
  await page.getByText('Everything is ready for printing.').waitFor()

  const download = page.waitForEvent('download')
  await link(page, 'Download the print file').click()
  const pdf = await openPdf(await readFile(await (await download).path()))
  t.after(() => pdf.close())
  assert.equal(pdf.pageCount, 2)
  const textOf = (index: number): string => withoutBlanks(pdf.chars(index).map(({ char }) => char))
  for (const text of TEXTS) assert.ok(textOf(0).includes(withoutBlanks([text])), `${text} in ${textOf(0)}`)
  assert.equal(textOf(1), 'Backofthecard')
})
