import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign } from '../../lib/pages/ordering.ts'
import { button, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

/** Whether a canvas shows more than an empty page. */
const isDrawn = (picture: Locator): Promise<boolean> =>
  picture.evaluate((canvas: unknown) => {
    const { width, height, getContext } = canvas as {
      width: number
      height: number
      getContext(kind: '2d'): { getImageData(...box: number[]): { data: Uint8ClampedArray } }
    }
    return getContext
      .call(canvas, '2d')
      .getImageData(0, 0, width, height)
      .data.some((value) => value > 0 && value < 128)
  })

test('an operator sees each preview beside its page of the print file', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
  const { body: order } = await service.request('POST', '/orders', { token, body })
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/orders/${order.id}`)
  const small = page.getByRole('img', { name: 'Print file of Mug, page 1' })
  await until('the page of the print file', () => isDrawn(small))
  await button(page, 'Compare').click()
  const dialog = page.getByRole('dialog', { name: 'Preview and print file' })
  await until('the preview', () => isDrawn(dialog.getByRole('img', { name: /^Preview of “Mug”/ })))
  await until('the large page', () => isDrawn(dialog.getByRole('img', { name: 'Print file of Mug, page 1' })))
  await expectAccessible(page, 'the comparison')
  await dialog.getByRole('button', { name: 'Close' }).click()
})
