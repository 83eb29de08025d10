import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { openEditor, textField, until, untilAnnounced } from '../../lib/pages/open-editor.ts'
import { button } from '../../lib/pages/shop.ts'

/** Describes the focused element, also inside shadow roots. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    interface Focusable {
      shadowRoot: { activeElement: Focusable | null } | null
      textContent: string
      getAttribute(name: string): string | null
    }
    const { document } = globalThis as unknown as { document: { activeElement: Focusable | null } }
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
  })

const MOST_STOPS = 60

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const visited: string[] = []
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (typeof name === 'string' ? now === name : name.test(now)) return
    visited.push(now.slice(0, 40))
  }
  assert.fail(`${name} cannot be reached by ${key}: ${visited.join(' | ')}`)
}

test('a postcard is designed with the keyboard alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, untilLayers, layers, url, designId } = await openEditor(t)
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Moves within the toolbar, which is one stop of the Tab key. */
  const insert = async (name: string): Promise<void> => {
    await tabTo(page, /^(Undo|Redo|Text|Photo|Shape|QR code)$/)
    for (let steps = 0; (await focused(page)) !== name; steps += 1) {
      assert.ok(steps < 8, `${name} is not in the toolbar`)
      await press('ArrowRight')
    }
    await press('Enter')
  }

  await t.test('a text is inserted and typed, and arrow keys move it', async () => {
    await insert('Text')
    await untilAnnounced(page, 'Inserted: Your text')
    await textField(page).waitFor({ state: 'attached' })
    await page.keyboard.type('Typed')
    const [typed] = await untilLayers(([layer]) => layer?.text === 'Typed')
    await press('Escape', 'ArrowDown', 'ArrowDown', 'Shift+ArrowUp', 'Alt+ArrowRight')
    const { x = 0, y = 0 } = typed ?? {}
    await untilLayers(([layer]) => layer?.x === Math.round((x + 0.1) * 10) / 10 && layer.y === y - 8)
    await untilAnnounced(page, /^Moved: [\d.]+ mm from the left, [\d.]+ mm from the top/)
  })

  await t.test('layers are selected together, put in order and grouped in their list', async () => {
    await insert('Shape')
    await page.getByRole('menuitem', { name: 'Rectangle' }).waitFor()
    await press('Enter')
    await untilLayers(({ length }) => length === 2)
    await insert('QR code')
    await untilLayers(({ length }) => length === 3)
    await tabTo(page, 'Layers')
    await press('Enter')
    await page.getByRole('treegrid', { name: 'Layers' }).waitFor()
    await tabTo(page, /^QR code: /)
    await press('ArrowDown')
    assert.match(await focused(page), /^Rectangle/)
    await press('Alt+ArrowUp')
    await untilAnnounced(page, 'Layer 1 of 3 from the top')
    await untilLayers((now) => now.at(-1)?.type === 'shape')
    await until(
      () => focused(page),
      (name) => name.startsWith('Rectangle'),
    )
    await press('Shift+ArrowDown', 'Control+g')
    await untilAnnounced(page, 'Grouped 2 layers')
    const [first, second, third] = await untilLayers((now) => now[1]?.group !== undefined)
    assert.equal(first?.group, undefined)
    assert.equal(second?.group, third?.group)
  })

  await t.test('steps are undone and done again', async () => {
    await press('Control+z')
    await untilAnnounced(page, 'Undone')
    await untilLayers((now) => now.every(({ group }) => group === undefined))
    await press('Control+Shift+z')
    await untilAnnounced(page, 'Redone')
    await untilLayers((now) => now.at(-1)?.group !== undefined)
    await press('Control+Shift+g')
    await untilAnnounced(page, 'Group ended')
  })

  await t.test('the view zooms, and the other side is shown', async () => {
    const zoom = page.getByRole('button', { name: /^Zoom: / })
    const before = await zoom.textContent()
    await press('+')
    await until(
      () => zoom.textContent(),
      (now) => now !== before,
    )
    await press('1')
    await button(page, 'Zoom: 100%').waitFor()
    await press('0')
    await until(
      () => zoom.textContent(),
      (now) => now === before,
    )
    await press('Alt+PageDown')
    await untilAnnounced(page, 'Side shown: Back')
    await press('Alt+PageUp')
    await untilAnnounced(page, 'Side shown: Front')
  })

  await t.test('the list of shortcuts names the keys, and gives the focus back', async () => {
    const before = await focused(page)
    await press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Ctrl+Shift+Z').waitFor()
    await press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await until(
      () => focused(page),
      (now) => now === before,
    )
  })

  await t.test('the design is finalized', async () => {
    // The rectangle is moved over the code, so phones cannot read it.
    await tabTo(page, /^Rectangle/)
    await press('Home', 'Shift+ArrowDown', 'Alt+h', 'Alt+v')
    await button(page, 'Check: 1 problem, no hints').waitFor()
    await press('Home', 'ArrowDown', 'Delete')
    await untilLayers(({ length }) => length === 2)
    assert.equal((await layers())[0]?.text, 'Typed')
    await button(page, 'Check: no problems, no hints').waitFor()
    await tabTo(page, 'Finalize', 'Shift+Tab')
    await press('Enter')
    await page.waitForURL(`${url}/designs/${designId}/finished`)
    await page.getByRole('link', { name: 'Download the print file' }).waitFor()
    await page.getByRole('img', { name: /: Front$/ }).waitFor()
  })
})
