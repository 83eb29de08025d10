import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { type OpenEditor, openEditor, stageOf, textField, until } from '../../lib/pages/open-editor.ts'
import { button } from '../../lib/pages/shop.ts'

interface Point {
  x: number
  y: number
}

const STEPS = 8

/** Moves fingers along straight lines, from all starts to all ends. */
async function swipe(input: CDPSession, fingers: readonly { from: Point; to: Point }[]): Promise<void> {
  const at = (part: number) =>
    fingers.map(({ from, to }, id) => ({
      id,
      x: from.x + (to.x - from.x) * part,
      y: from.y + (to.y - from.y) * part,
    }))
  await input.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) })
  for (let step = 1; step <= STEPS; step += 1) {
    await input.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(step / STEPS) })
  }
  await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

const insert = async (page: Page, name: string): Promise<void> => {
  await button(page, 'Insert').tap()
  await page.getByRole('menuitem', { name, exact: true }).tap()
}

const LEAST_TARGET_PX = 44

/** Fails if a visible control is smaller than a finger needs. */
async function expectLargeTargets(page: Page, state: string): Promise<void> {
  const controls = page.locator('platen-editor').locator('button, input, [role=tab], [role=slider], select, a')
  const small = await controls.evaluateAll((elements, least) => {
    interface Control {
      outerHTML: string
      checkVisibility(): boolean
      closest(selector: string): Control | null
      getBoundingClientRect(): { width: number; height: number }
    }
    // The label of a field belongs to its target.
    const targetOf = (control: Control): Control => control.closest('label') ?? control
    return (elements as unknown as Control[])
      .filter((control) => control.checkVisibility() && control.getBoundingClientRect().width > 1)
      .map((control) => ({ control, box: targetOf(control).getBoundingClientRect() }))
      .filter(({ box }) => box.width < least - 0.5 || box.height < least - 0.5)
      .map(
        ({ control, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${control.outerHTML.slice(0, 160)}`,
      )
  }, LEAST_TARGET_PX)
  assert.deepEqual(small, [], state)
}

const centreOf = async (control: Locator): Promise<Point> => {
  const box = await control.boundingBox()
  assert.ok(box !== null)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Returns the directions in which a finger just inside the least target of a control would hit something else. */
function missedBeside(control: Locator): Promise<string[]> {
  return control.evaluate((element, least) => {
    interface Control {
      getBoundingClientRect(): { x: number; y: number; width: number; height: number }
      contains(other: unknown): boolean
      getRootNode(): { elementFromPoint(x: number, y: number): unknown }
    }
    const target = element as unknown as Control
    const { x, y, width, height } = target.getBoundingClientRect()
    const reach = least / 2 - 1
    const directions = { left: [-reach, 0], right: [reach, 0], above: [0, -reach], below: [0, reach] } as const
    return Object.entries(directions)
      .filter(([, [dx, dy]]) => {
        const hit = target.getRootNode().elementFromPoint(x + width / 2 + dx, y + height / 2 + dy)
        return !target.contains(hit)
      })
      .map(([direction]) => direction)
  }, LEAST_TARGET_PX)
}

const BLUE = [0x24, 0x44, 0xc8]

/** Returns where the blue rectangle is painted, in pixels of the window. */
async function paintedBox(stage: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const at = await stage.boundingBox()
  assert.ok(at !== null)
  const { data, info } = await sharp(await stage.screenshot({ scale: 'css' }))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  let [left, top, right, bottom] = [info.width, info.height, 0, 0]
  for (let i = 0; i < data.length; i += 3) {
    if (BLUE.some((sample, channel) => Math.abs((data[i + channel] ?? 0) - sample) > 6)) continue
    const [x, y] = [(i / 3) % info.width, Math.floor(i / 3 / info.width)]
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + 1)
    bottom = Math.max(bottom, y + 1)
  }
  return { x: at.x + left, y: at.y + top, width: right - left, height: bottom - top }
}

async function dragLayer({ pointOf, untilLayers }: OpenEditor, input: CDPSession, by: Point): Promise<void> {
  const [layer] = await untilLayers(({ length }) => length > 0)
  assert.ok(layer !== undefined)
  const from = await pointOf({ x: layer.x + layer.width / 2, y: layer.y + layer.height / 2 })
  await swipe(input, [{ from, to: { x: from.x + by.x, y: from.y + by.y } }])
}

test('a postcard is designed on a phone with fingers', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const editor = await openEditor(t, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { page, untilLayers, layers, pointOf, pxPerMm, url, designId } = editor
  const input = await page.context().newCDPSession(page)
  const stage = stageOf(page)

  await t.test('a finger drags a layer, which is painted where the document says', async () => {
    await insert(page, 'Rectangle')
    const [before] = await untilLayers(([layer]) => layer?.shape === 'rect')
    const scale = await pxPerMm()
    await dragLayer(editor, input, { x: 41, y: -37 })
    const paper = await pointOf({ x: 5, y: 100 })
    await page.touchscreen.tap(paper.x, paper.y)
    await page.locator('.pe-selected').waitFor({ state: 'detached' })
    // The events of the drag have arrived, because those of the tap have.
    const [moved] = await layers()
    assert.ok(before !== undefined && moved !== undefined)
    assert.ok(Math.abs((moved.x - before.x) * scale - 41) < 8, `moved by ${moved.x - before.x} mm`)
    assert.ok(Math.abs((moved.y - before.y) * scale + 37) < 8, `moved by ${moved.y - before.y} mm`)
    const wanted = await pointOf(moved)
    const painted = await until(
      () => paintedBox(stage),
      ({ width }) => Math.abs(width - moved.width * scale) <= 2,
    )
    assert.ok(Math.hypot(painted.x - wanted.x, painted.y - wanted.y) <= 2, JSON.stringify({ painted, wanted }))
    assert.ok(Math.abs(painted.height - moved.height * scale) <= 2, JSON.stringify(painted))
  })

  await t.test('a finger of which no end was told does not count with the next one', async () => {
    const { x, y } = await pointOf({ x: 50, y: 100 })
    // The pointer of the mouse always exists, so the editor can capture it.
    const lost = { pointerId: 1, pointerType: 'touch', isPrimary: true, button: 0, clientX: x, clientY: y }
    await stage.dispatchEvent('pointerdown', { ...lost, bubbles: true, composed: true })
    const [layer] = await layers()
    assert.ok(layer !== undefined)
    const centre = await pointOf({ x: layer.x + layer.width / 2, y: layer.y + layer.height / 2 })
    await page.touchscreen.tap(centre.x, centre.y)
    await page.locator('.pe-selected').waitFor()
    const paper = await pointOf({ x: 5, y: 100 })
    await page.touchscreen.tap(paper.x, paper.y)
    await page.locator('.pe-selected').waitFor({ state: 'detached' })
  })

  await t.test('two fingers zoom the view about the point between them', async () => {
    const box = await stage.boundingBox()
    assert.ok(box !== null)
    const [centre, before] = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }, await pxPerMm()]
    const from = (dx: number) => ({ x: centre.x + dx, y: centre.y })
    const document = await layers()
    await swipe(input, [
      { from: from(-40), to: from(-80) },
      { from: from(40), to: from(80) },
    ])
    await until(pxPerMm, (now) => Math.abs(now / before - 2) < 0.1)
    assert.deepEqual(await layers(), document, 'no layer has moved')
    await swipe(input, [
      { from: from(-80), to: from(-40) },
      { from: from(80), to: from(40) },
    ])
    await until(pxPerMm, (now) => Math.abs(now / before - 1) < 0.1)
  })

  await t.test('a text is typed', async () => {
    await insert(page, 'Text')
    await textField(page).waitFor({ state: 'attached' })
    await input.send('Input.insertText', { text: 'By touch' })
    await untilLayers((now) => now.at(-1)?.text === 'By touch')
    const paper = await pointOf({ x: 5, y: 100 })
    await page.touchscreen.tap(paper.x, paper.y)
    await textField(page).waitFor({ state: 'detached' })
  })

  await t.test('panels open and close, and fingers can hit every control', async () => {
    await expectLargeTargets(page, 'stage')
    for (const name of ['Layers', 'Photos', 'Details', 'Check']) {
      const tab = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true })
      await tab.tap()
      const heading = page.getByRole('heading', { level: 2, name, exact: true })
      await heading.waitFor()
      if (name === 'Details') await expectLargeTargets(page, 'nothing selected')
      await expectLargeTargets(page, name)
      await button(page, 'Close').tap()
      await heading.waitFor({ state: 'detached' })
    }
  })

  await t.test('a finger moves the slider of the opacity, also beside its thumb', async () => {
    const [rect] = await layers()
    assert.ok(rect !== undefined)
    const corner = await pointOf({ x: rect.x + 2, y: rect.y + 2 })
    await page.touchscreen.tap(corner.x, corner.y)
    const details = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Details' })
    await details.tap()
    const thumb = page.locator('.pl-slider-thumb').first()
    await thumb.scrollIntoViewIfNeeded()
    assert.deepEqual(await missedBeside(thumb), [])
    const centre = await centreOf(thumb)
    const beside = { x: centre.x, y: centre.y - (LEAST_TARGET_PX / 2 - 2) }
    await swipe(input, [{ from: beside, to: { x: beside.x - 80, y: beside.y } }])
    const [seeThrough] = await untilLayers(([layer]) => Number(layer?.opacity ?? 1) < 1)
    const track = await page.locator('.pl-slider-track').first().boundingBox()
    assert.ok(track !== null && track.height >= LEAST_TARGET_PX)
    // Browsers move touches near an edge to the control beside it.
    await page.touchscreen.tap(track.x + 4, track.y + track.height / 2)
    await untilLayers(([layer]) => Number(layer?.opacity) < Number(seeThrough?.opacity))
    await button(page, 'Undo').tap()
    await button(page, 'Undo').tap()
    await untilLayers(([layer]) => (layer?.opacity ?? 1) === 1)
    await button(page, 'Close').tap()
  })

  await t.test('nothing scrolls sideways on the narrowest phones', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page, 'editor')
    const finalize = await button(page, 'Finalize').boundingBox()
    assert.ok(finalize !== null && finalize.x + finalize.width <= 360, JSON.stringify(finalize))
  })

  await t.test('the design is finalized', async () => {
    await button(page, 'Check: no problems, no hints').waitFor()
    await button(page, 'Finalize').tap()
    await page.waitForURL(`${url}/designs/${designId}/finished`)
    await page.getByRole('img', { name: /: Front$/ }).waitFor()
    await page.getByRole('link', { name: 'Download the print file' }).waitFor()
    await expectNoSidewaysScroll(page, 'finished page')
  })
})
