import { test } from 'node:test'
import { noBrowser } from '../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../lib/browser/watched-page.ts'
import { heading, startShop } from '../lib/pages/shop.ts'

test('the pages of problems are accessible, and fit on a phone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t, { viewport: { width: 360, height: 740 } })
  const page = await open(url)
  for (const path of ['/problems', '/problems/font_outline_embedding_not_allowed', '/problems/validation_failed']) {
    await page.goto(`${url}${path}`)
    await heading(page).waitFor()
    await expectNoSidewaysScroll(page, path)
    await expectAccessible(page, path)
  }
})
