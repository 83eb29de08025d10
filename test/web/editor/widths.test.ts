import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { showPanel } from '../../lib/pages/open-editor.ts'
import { button, startShop } from '../../lib/pages/shop.ts'
import { openPostcard, textLayer } from '../../lib/pages/stored-layers.ts'

const LAYERS = [textLayer('One'), textLayer('Low', { y: 80 })]

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox()
  assert.ok(box !== null)
  return box
}

test('on a phone, an open panel leaves the whole side in sight', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  const page = await shop.open(shop.url)
  await openPostcard(page, LAYERS)
  for (const panel of ['Layers', 'Details', 'Photos', 'Check']) {
    await showPanel(page, panel)
    // The stage fits the side in the frame after it has got its size.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    const [side, sheet] = [await boxOf(page.locator('.pe-trim')), await boxOf(page.locator('.pe-panel'))]
    assert.ok(side.y + side.height <= sheet.y, `${panel}: ${JSON.stringify({ side, sheet })}`)
  }
})

/** Fails if a part of the bar is outside of it, or below another part. */
async function expectWholeBar(page: Page, state: string): Promise<void> {
  const [bar, end] = [await boxOf(page.locator('.pe-top-bar')), await boxOf(page.locator('.pe-bar-end'))]
  const tabs = await page.getByRole('tab').all()
  for (const part of [button(page, 'Fertigstellen'), ...tabs]) {
    const { x, width } = await boxOf(part)
    assert.ok(x >= bar.x && x + width <= bar.x + bar.width, `${state}: ${await part.textContent()} at ${x}`)
  }
  for (const tab of tabs) {
    const { x, y, width, height } = await boxOf(tab)
    const isBeside = y < end.y + end.height && end.y < y + height
    assert.ok(!isBeside || x + width <= end.x, `${state}: ${await tab.textContent()} is cut off`)
  }
}

test('the bar shows all its parts in German at each width, without a network, too', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const page = await shop.open(shop.url)
  await openPostcard(page, LAYERS)
  await page.goto(`${page.url()}?lang=de`)
  await button(page, 'Fertigstellen').waitFor()
  const lookAtAll = async (state: string): Promise<void> => {
    for (const width of [360, 640, 768, 860, 1024, 1180, 1280, 1440]) {
      await page.setViewportSize({ width, height: 740 })
      await expectWholeBar(page, `${state}, ${width} px`)
    }
  }
  await page.locator('.pe-save-status.saved').waitFor()
  await lookAtAll('saved')
  shop.expectErrors(/ERR_INTERNET_DISCONNECTED/)
  await shop.context.setOffline(true)
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'New')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true }))
  }`)
  await page.locator('.pe-save-status.offline').waitFor()
  await lookAtAll('offline')
})
