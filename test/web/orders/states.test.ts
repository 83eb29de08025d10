import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { visitOrderStates } from '../../lib/pages/order-states.ts'
import { startShop } from '../../lib/pages/shop.ts'

/** Returns the numbers of orders that are broken into several lines. Runs in the page. */
const BROKEN_NUMBERS = `(() => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  const broken = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const { index, 0: number } of node.data.matchAll(/\\bPL-\\w{4}-\\w{4}\\b/g)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + number.length)
      if (range.getClientRects().length > 1) broken.push(number)
    }
  }
  return broken
})()`

test('pages of ordering are accessible in every state, none scrolls sideways, and numbers stay whole', {
  timeout: 480_000,
}, async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes the refused address, the declined payment and the missing order to its console.
  shop.expectErrors(/status of (402|404|422)/)
  await visitOrderStates(shop, async (page, state) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page, state)
    assert.deepEqual(await page.evaluate(BROKEN_NUMBERS), [], state)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expectAccessible(page, state)
  })
})
