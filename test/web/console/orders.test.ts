import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Shipment } from '../../../packages/client/src/index.ts'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign, operate } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Places an order of three mugs as a new customer. */
async function placeOrder(shop: Shop): Promise<{ id: string; number: string }> {
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
  return (await service.request('POST', '/orders', { token, body })).body
}

/** Expects that the first line of a dialog names the order of the page, and that screen readers read it with the title. */
async function expectOrderNamed(page: Page, dialog: Locator): Promise<void> {
  const [number] = /PL-\w{4}-\w{4}/.exec((await heading(page).textContent()) ?? '') ?? []
  const about = dialog.locator(`[id="${await dialog.getAttribute('aria-describedby')}"]`)
  const words = `${number} · ${ADDRESS.name}, ${ADDRESS.city}`
  assert.equal((await about.textContent())?.slice(0, words.length), words)
}

/** Runs an action of the order page, after its dialog is filled in. Each dialog is checked with axe. */
async function act(
  page: Page,
  name: string,
  fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void> = async () => undefined,
  confirm: string | RegExp = name,
) {
  await button(page, name).first().click()
  const dialog = page.getByRole('dialog', { name, exact: true })
  await dialog.waitFor()
  await expectOrderNamed(page, dialog)
  await fill(dialog)
  await expectAccessible(page, `the dialog ${name}`)
  await dialog.getByRole('button', { name: confirm, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('an operator takes an order from its payment to the return of a parcel', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service, url } = shop
  // The browser writes the refused release to its console.
  shop.expectErrors(/status of 412/)
  const { id, number } = await placeOrder(shop)
  const operator = await service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/orders?status=awaiting_payment')
  const read = async () => (await service.request('GET', `/orders/${id}`, { token: operator.accessToken })).body
  await link(page, number).click()
  await heading(page, new RegExp(number)).waitFor()
  await button(page, 'Not possible now').click()
  await page.getByRole('dialog').getByText('The order is in the status “Awaiting payment”.').first().waitFor()
  await page.getByRole('dialog').getByText('This customer has a sign-in and orders in the shop.').waitFor()
  assert.equal(await link(page, 'Order again').count(), 0)
  await expectAccessible(page, 'an unpaid order, with what is not possible')
  await page.keyboard.press('Escape')

  await act(page, 'Record the payment', (dialog) => dialog.getByLabel('Reference').fill('Statement 12'), /^Record €/)
  await page.getByText('Statement 12').waitFor()
  await page.getByText('Recorded by staff').waitFor()
  await act(page, 'Put on hold', (dialog) => dialog.getByLabel('Reason').fill('Is the address complete?'))
  await page.getByText('Is the address complete?').first().waitFor()
  // Another operator notes something while the dialog is open, so this one looks again before the release.
  await button(page, 'Release').click()
  const release = page.getByRole('dialog', { name: 'Release' })
  const other = await service.signUp({ role: 'operator' })
  const path = `/orders/${id}/notes`
  await service.request('POST', path, { token: other.accessToken, body: { text: 'The customer has called.' } })
  await expectOrderNamed(page, release)
  await release.getByRole('button', { name: 'Release' }).click()
  await release.getByText(/^The order has changed meanwhile.* “The customer has called\.”$/).waitFor()
  await expectAccessible(page, 'a refused release')
  assert.equal((await read()).status, 'on_hold')
  await release.getByRole('button', { name: 'Release' }).click()
  await release.waitFor({ state: 'detached' })
  await page.getByText('The customer has called.').waitFor()
  await page.getByLabel('New note').fill('Sent without a gift card.')
  await button(page, 'Add the note').click()
  await page.locator('.notes').getByText('Sent without a gift card.').waitFor()
  // The note of the other operator stays.
  await button(page, /^Delete the note of/).click()
  const deletion = page.getByRole('dialog', { name: 'Delete the note' })
  await expectAccessible(page, 'the dialog that deletes a note')
  await deletion.getByRole('button', { name: 'Delete the note' }).click()
  await deletion.waitFor({ state: 'detached' })
  assert.deepEqual(await page.locator('.notes .note-text').allTextContents(), ['The customer has called.'])
  await button(page, 'Cancel the order').click()
  const cancelling = page.getByRole('dialog', { name: 'Cancel the order' })
  await cancelling.getByRole('button', { name: 'Cancel the order' }).waitFor()
  await expectOrderNamed(page, cancelling)
  await expectAccessible(page, 'the dialog Cancel the order')
  await cancelling.getByRole('button', { name: 'Cancel', exact: true }).click()
  await cancelling.waitFor({ state: 'detached' })
  await act(page, 'Start production')
  await act(page, 'Ship', async (dialog) => {
    await dialog.getByLabel('Carrier').fill('DHL')
    await dialog.getByLabel('Tracking number').fill('JJD000390007')
    await dialog.getByRole('textbox', { name: /^Mug/ }).focus()
    await page.keyboard.type('2')
  })
  await page.getByText('2 of 3 shipped').waitFor()
  await act(page, 'Ship', (dialog) => dialog.getByLabel('Carrier').fill('DHL'))
  await act(page, 'Mark as delivered')
  await act(page, 'Mark as delivered')
  await page.getByText('Everything has been delivered').waitFor()
  await act(page, 'Mark as returned', (dialog) => dialog.getByLabel('Reason').fill('Broken'))
  await act(
    page,
    'Refund',
    async (dialog) => {
      // The amount of the whole order is selected, also after a press into the field that gives it the focus.
      await page.keyboard.type('5.00')
      await dialog.getByRole('button', { name: 'Refund €5.00' }).waitFor()
      await dialog.getByLabel('Reason').focus()
      await dialog.getByLabel('Amount').click()
      await page.keyboard.type('6.00')
      await dialog.getByRole('button', { name: 'Refund €6.00' }).waitFor()
      // A further press places the cursor.
      await dialog.getByLabel('Amount').click()
      await page.keyboard.press('End')
      await page.keyboard.press('Backspace')
      await page.keyboard.type('5')
      await dialog.getByRole('button', { name: 'Refund €6.05' }).waitFor()
      // A comma before the decimals must never become a thousand times the amount, or the whole order.
      await dialog.getByLabel('Amount').fill('5,000')
      await dialog.getByText('Enter a number such as 1.50.').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Refund', exact: true }).isDisabled())
      await dialog.getByLabel('Amount').fill('999')
      await dialog.getByText(/^At most €.* can be refunded\.$/).waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Refund', exact: true }).isDisabled())
      await dialog.getByLabel('Amount').fill('5,00')
    },
    'Refund €5.00',
  )
  await page.getByText('Can still be refunded').waitFor()
  await page.locator('.timeline').getByText('€5.00 refunded').waitFor()
  await expectAccessible(page, 'a delivered order')

  const order = await read()
  assert.deepEqual(
    [order.status, order.payment.status, order.payment.refundedAmount.amount, order.payment.reference],
    ['delivered', 'partially_refunded', 500, 'Statement 12'],
  )
  assert.deepEqual(
    order.shipments.map(({ carrier, trackingNumber, items, status }: Shipment) => [
      carrier,
      trackingNumber,
      items[0]?.quantity,
      status,
    ]),
    [
      ['DHL', 'JJD000390007', 2, 'returned'],
      ['DHL', null, 1, 'delivered'],
    ],
  )
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click()
  await heading(page, 'Orders').waitFor()
  assert.equal(page.url(), `${url}/console/orders?status=awaiting_payment`)
})

test('the table shows changes where it is, and the palette leads to an order by its number', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 360, height: 740 } })
  const { service, url } = shop
  const first = await placeOrder(shop)
  const operator = await service.signUp({ role: 'operator' })
  const customer = { externalId: 'grace', name: 'Grace Hopper' }
  await service.request('POST', '/customers', { token: operator.accessToken, body: customer })
  const page = await openConsole(shop, operator, '/today')
  await page.getByRole('link', { name: /^1 Awaiting payment/ }).waitFor()
  await expectAccessible(page, 'today')
  await expectNoSidewaysScroll(page, 'today')
  await page.getByRole('link', { name: /Awaiting payment$/ }).click()
  await link(page, first.number).waitFor()
  await expectAccessible(page, 'the table')
  await expectNoSidewaysScroll(page, 'the table')

  const second = await placeOrder(shop)
  const news = button(page, 'One order is new or has changed. Show it')
  await news.waitFor()
  assert.equal(await link(page, second.number).count(), 0)
  await news.click()
  await link(page, second.number).waitFor()
  const run = await operate(shop)
  await run(first.id, 'payments', { method: 'manual' })
  await page.getByRole('row', { name: first.number }).getByText('Ready to produce').waitFor()
  const isCut = `[...document.querySelectorAll('.table-box')].some((box) => box.scrollWidth > box.clientWidth)`
  assert.equal(await page.evaluate(isCut), false, 'the status is within the table')

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(second.number)
  await page.getByRole('option', { name: second.number }).waitFor()
  await expectAccessible(page, 'the palette')
  await page.keyboard.press('Enter')
  await heading(page, new RegExp(second.number)).waitFor()
  assert.equal(page.url(), `${url}/console/orders/${second.id}`)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'an order')
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('textbox', { name: 'New note' }).pressSequentially('a c g 1 ? x')
  assert.deepEqual(
    [await page.getByRole('dialog').count(), new URL(page.url()).pathname.endsWith(second.id)],
    [0, true],
  )
  await heading(page, new RegExp(second.number)).focus()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expectAccessible(page, 'the list of keys')
  await expectAllPages(page, keys)
  await keys.getByText('Record the payment').locator('..').getByText('m', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })
  await page.keyboard.press('a')
  await page.keyboard.press('m')
  await page.getByRole('dialog', { name: 'Record the payment' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('record the pay')
  await page.getByRole('option', { name: 'Record the payment', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Record the payment' }).getByRole('button').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  for (const [typed, option] of [
    ['webhooks', 'Webhooks Developers'],
    ['hopper', 'Grace Hopper Customer'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(typed)
    await page.getByRole('option', { name: option }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

/** Each page of the navigation has a shortcut in the list. */
async function expectAllPages(page: Page, keys: Locator): Promise<void> {
  const titles = await page.locator('.console-group a').allInnerTexts()
  assert.ok(titles.length > 3)
  for (const title of titles) await keys.locator('dt', { hasText: title }).waitFor()
}
