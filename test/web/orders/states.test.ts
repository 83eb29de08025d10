import { test } from 'node:test'
import { noBrowser } from '../../lib/browser.ts'
import { visitOrderStates } from '../../lib/order-states.ts'
import { startShop } from '../../lib/shop.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/watched-page.ts'

test('pages of ordering are accessible in every state, and none scrolls sideways', { timeout: 480_000 }, async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes the refused address, the declined payment and the missing order to its console.
  shop.expectErrors(/status of (402|404|422)/)
  await visitOrderStates(shop, async (page, state) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page, state)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expectAccessible(page, state)
  })
})
