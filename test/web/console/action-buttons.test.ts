import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { ORDER_ACTION_NAMES, type OrderAction } from '../../../src/orders/order/state.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign, operate } from '../../lib/pages/ordering.ts'
import { heading, startShop } from '../../lib/pages/shop.ts'

/** The actions without a button, with the reason. */
const WITHOUT_BUTTON: Readonly<Partial<Record<OrderAction, string>>> = {
  pay: 'The customer pays on the page of the order in the shop. Operators record payments.',
  resolve_hold: 'The customer replies on the page of the order in the shop. Operators release orders.',
}

/** The buttons of the others. */
const BUTTONS: Readonly<Partial<Record<OrderAction, string>>> = {
  retry_files: 'Render the files again',
  release: 'Release',
  record_payment: 'Record the payment',
  start_production: 'Start production',
  ship: 'Ship',
  deliver: 'Mark as delivered',
  return: 'Mark as returned',
  hold: 'Put on hold',
  refund: 'Refund',
  cancel: 'Cancel the order',
}

test('each action of the service has a button on the page of an order, or a reason why it has none', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const missing = ORDER_ACTION_NAMES.filter((name) => !(name in BUTTONS) && !(name in WITHOUT_BUTTON))
  assert.deepEqual(missing, [])

  const shop = await startShop(t)
  const { service, url } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
  const order = (await service.request('POST', '/orders', { token, body })).body
  const run = await operate(shop)
  await run(order.id, 'payments', { method: 'manual' })
  await run(order.id, 'start-production')
  await run(order.id, 'shipments', { carrier: 'DHL', items: [{ itemId: order.items[0].id, quantity: 1 }] })

  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), '/orders')
  await heading(page, 'Orders').waitFor()
  // No state allows all actions at once.
  await page.route(
    ({ pathname }) => pathname.endsWith(`/orders/${order.id}`) && !pathname.startsWith('/console/'),
    async (route) => {
      const response = await route.fetch()
      const availableActions = ORDER_ACTION_NAMES.map((action) => ({ action, allowed: true }))
      await route.fulfill({ response, json: { ...(await response.json()), availableActions } })
    },
  )
  await page.goto(`${url}/console/orders/${order.id}`)
  await heading(page, new RegExp(order.number)).waitFor()
  const bar = page.locator('.main-actions')
  for (const name of Object.values(BUTTONS)) {
    await bar.getByRole('button', { name, exact: true }).click()
    const dialog = page.getByRole('dialog', { name, exact: true })
    await dialog.waitFor()
    await expectAccessible(page, `the dialog of “${name}”`)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
})
