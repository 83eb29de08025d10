import { test } from 'node:test'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign } from '../../lib/pages/ordering.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

test('an operator finds a customer, whose page has the orders of this customer alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const operator = await service.signUp({ role: 'operator' })
  const order = async () => {
    const { accessToken: token, email } = await service.signUp()
    const designId = await makeDesign(shop, { token, name: 'Mug' })
    const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
    const place = async (): Promise<string> => (await service.request('POST', '/orders', { token, body })).body.number
    return { email, number: await place(), place }
  }
  const [grace, other] = [await order(), await order()]
  const page = await openConsole(shop, operator, '/customers')
  await link(page, other.email).waitFor()
  await page.getByLabel('Search customers').fill(grace.email)
  await link(page, other.email).waitFor({ state: 'detached' })
  await expectAccessible(page, 'customers')
  await link(page, grace.email).click()
  await heading(page, grace.email).waitFor()
  await link(page, grace.number).waitFor()
  await link(page, other.number).waitFor({ state: 'detached' })
  await expectAccessible(page, 'a customer')
  // What the customer orders meanwhile appears there, and among the other orders on the page of an order.
  await link(page, await grace.place()).waitFor()
  await link(page, grace.number).click()
  const others = page.getByRole('region', { name: 'Customer' })
  const third = await grace.place()
  await others.getByRole('link', { name: third }).waitFor()
  await link(page, ADDRESS.name).click()
  await heading(page, grace.email).waitFor()
})

test('an operator adds a customer without a sign-in on the page of the customers', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/customers')
  await button(page, 'Add a customer').click()
  const dialog = page.getByRole('dialog', { name: 'Add a customer' })
  await dialog.getByText('Fields marked with * are required.').waitFor()
  await dialog.getByLabel('Id in your system').fill('school-7')
  await expectAccessible(page, 'the dialog of a customer')
  await dialog.getByRole('button', { name: 'Add a customer' }).click()
  await heading(page, 'school-7').waitFor()
  await link(page, 'New order').waitFor()
})
