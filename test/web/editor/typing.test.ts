import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { type OpenEditor, openEditor, type TestLayer, textField, until } from '../../lib/pages/open-editor.ts'
import { button } from '../../lib/pages/shop.ts'

/** Begins a new text, whose words are selected, and removes the texts before it. */
async function beginText({ page, untilLayers }: OpenEditor): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await button(page, 'Text').click()
  await untilLayers(([layer]) => layer?.text === 'Your text')
  await until(
    () => selectionOf(page),
    ([from, to]) => from === 0 && to === 9,
  )
}

/** The selection of the field, from which the canvas draws its own. */
const selectionOf = (page: OpenEditor['page']): Promise<readonly [number, number]> =>
  textField(page).evaluate((field) => {
    const { selectionStart, selectionEnd } = field as unknown as { selectionStart: number; selectionEnd: number }
    return [selectionStart, selectionEnd]
  })

/** Clicks twice within a tenth of a second, however long the computer takes for it. */
async function doubleClick(page: OpenEditor['page'], at: { x: number; y: number }): Promise<void> {
  const input = await page.context().newCDPSession(page)
  const begin = Date.now() / 1_000
  for (const clickCount of [1, 2]) {
    const click = { ...at, button: 'left', clickCount, timestamp: begin + clickCount / 10 } as const
    await input.send('Input.dispatchMouseEvent', { ...click, type: 'mousePressed' })
    await input.send('Input.dispatchMouseEvent', { ...click, type: 'mouseReleased' })
  }
  await input.detach()
}

const untilText = async ({ untilLayers }: OpenEditor, text: string): Promise<TestLayer> => {
  const [layer] = await untilLayers(([first]) => first?.text === text)
  assert.ok(layer !== undefined)
  return layer
}

test('a text is typed on the canvas with every means of a text field', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const editor = await openEditor(t)
  const { page } = editor
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }

  await t.test('the characters of an input method replace each other until they are chosen', async () => {
    await beginText(editor)
    const input = await page.context().newCDPSession(page)
    for (const text of ['に', 'にほ', 'にほん']) {
      await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
      await untilText(editor, text)
    }
    await input.send('Input.insertText', { text: '日本' })
    await untilText(editor, '日本')
    await page.keyboard.type('!')
    await untilText(editor, '日本!')
    await input.detach()
  })

  await t.test('all that was typed is one step of undo, and text before it another one', async () => {
    await beginText(editor)
    await page.keyboard.type('Hello')
    await untilText(editor, 'Hello')
    await press('Control+z')
    await untilText(editor, 'Your text')
    await press('Control+Shift+z')
    await untilText(editor, 'Hello')
    await press('End')
    await page.keyboard.type(' again')
    await untilText(editor, 'Hello again')
  })

  await t.test('typing replaces what Shift with arrow keys has selected', async () => {
    await beginText(editor)
    await page.keyboard.type('Hello world')
    for (let i = 0; i < 5; i += 1) await press('Shift+ArrowLeft')
    await page.locator('.pe-text-selection').waitFor()
    await page.keyboard.type('there')
    await untilText(editor, 'Hello there')
    await press('Shift+Control+ArrowLeft', 'Backspace')
    await untilText(editor, 'Hello ')
  })

  await t.test('typing replaces what the pointer has selected', async () => {
    await beginText(editor)
    await page.keyboard.type('first second')
    const layer = await untilText(editor, 'first second')
    const middle = layer.y + layer.height / 2
    const [from, centre, to] = [
      await editor.pointOf({ x: layer.x + 1, y: middle }),
      await editor.pointOf({ x: layer.x + layer.width / 2, y: middle }),
      await editor.pointOf({ x: layer.x + layer.width - 1, y: middle }),
    ]
    await doubleClick(page, { x: centre.x + 10, y: centre.y })
    await until(
      () => selectionOf(page),
      ([start, end]) => start === 6 && end === 12,
    )
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
    await until(
      () => selectionOf(page),
      ([start, end]) => start === 0 && end === 12,
    )
    await page.keyboard.type('third')
    await untilText(editor, 'third')
  })

  await t.test('keys follow the lines of the canvas, not those of the field', async () => {
    await beginText(editor)
    // Two lines: the box is wide enough for four of the words.
    await page.keyboard.type('wonderful wonderful wonderful wonderful')
    await untilText(editor, 'wonderful wonderful wonderful wonderful')
    await press('Home')
    const [start] = await selectionOf(page)
    assert.ok(start > 0 && start < 39 && start % 10 === 0, `the start of the second line is ${start}`)
    await press('ArrowUp')
    await page.keyboard.type('<')
    await untilText(editor, '<wonderful wonderful wonderful wonderful')
    await press('End')
    await page.keyboard.type('>')
    const [{ text = '' } = {}] = await editor.untilLayers(([layer]) => layer?.text?.includes('>') === true)
    assert.equal(text.replace(/ ?> ?/, ' '), '<wonderful wonderful wonderful wonderful')
    assert.ok(!text.endsWith('>'), text)
    await press('Shift+ArrowDown', 'Delete', 'Control+a')
    await until(
      () => selectionOf(page),
      ([from]) => from === 0,
    )
    await press('Backspace')
    await untilText(editor, '')
  })

  await t.test('text that runs from right to left is edited at its logical places', async () => {
    await beginText(editor)
    await page.keyboard.type('שלום')
    await untilText(editor, 'שלום')
    await press('ArrowRight', 'Backspace')
    await untilText(editor, 'שלם')
    await press('Home')
    await page.keyboard.type('א')
    await untilText(editor, 'אשלם')
    await press('End')
    await page.keyboard.type(' 12')
    await untilText(editor, 'אשלם 12')
  })

  await t.test('text is cut, copied and pasted, and the layer stays', async () => {
    await beginText(editor)
    await page.keyboard.type('again ')
    await press('Control+a', 'Control+c', 'End', 'Control+v', 'Control+v')
    await untilText(editor, 'again again again ')
    await press('Control+a', 'Control+x')
    await untilText(editor, '')
    await press('Control+v')
    await untilText(editor, 'again again again ')
    assert.equal((await editor.layers()).length, 1)
  })

  await t.test('the service stores what was typed', async () => {
    await page.keyboard.press('Escape')
    const shown = await editor.layers()
    await until(
      async () => {
        const { document } = await editor.service.db
          .selectFrom('designs')
          .select('document')
          .where('id', '=', editor.designId)
          .executeTakeFirstOrThrow()
        return (document as unknown as { placements: { layers: TestLayer[] }[] }).placements[0]?.layers[0]?.text
      },
      (text) => text === shown[0]?.text,
    )
  })
})
