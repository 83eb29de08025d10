import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser.ts'
import { openConsole } from '../../lib/console.ts'
import { button, heading, link, startShop } from '../../lib/shop.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/watched-page.ts'

test('an administrator adds a shipping method, sees what it costs, and deletes it', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes the refused method to its console.
  shop.expectErrors(/status of 422/)
  const { service } = shop
  const page = await openConsole(shop, await service.signUp({ role: 'admin' }), '/settings')
  const offers = page.getByRole('list', { name: 'Prices of the parcel' })
  await offers.getByText('Standard').waitFor()
  await expectAccessible(page, 'the shipping methods')

  await link(page, 'New shipping method').click()
  await heading(page, 'New shipping method').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Cargo bike')
  const prices = page.getByRole('list', { name: 'Prices by weight' })
  await prices.getByLabel('Up to').fill('2000')
  await prices.getByLabel('Price in EUR').fill('3,50')
  await button(page, 'Add a weight').click()
  await prices.getByLabel('Up to').nth(1).fill('1000')
  await prices.getByLabel('Price in EUR').nth(1).fill('5')
  await page.keyboard.press('Tab')
  await button(page, 'Save').click()
  await page.getByText('Zone 1: Each weight must be more than the one before').waitFor()
  await expectAccessible(page, 'a shipping method with a fault')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'a shipping method')
  await page.setViewportSize({ width: 1280, height: 800 })
  await prices.getByLabel('Up to').nth(1).fill('5000')
  await page.keyboard.press('Tab')
  await button(page, 'Save').click()
  await link(page, 'Cargo bike').waitFor()
  await offers.getByText('Cargo bike').waitFor()
  await page.getByRole('textbox', { name: 'Weight of the parcel' }).fill('3000')
  await page.keyboard.press('Tab')
  await offers.getByText('€5.00').waitFor()

  await link(page, 'Cargo bike').click()
  await button(page, 'Delete the method').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('“Cargo bike” is deleted.').waitFor()
  const { body } = await service.request('GET', '/shipping-methods?country=DE&weightGrams=3000')
  assert.ok(!body.data.some(({ name }: { name: string }) => name === 'Cargo bike'))
})

test('an administrator changes the taxes', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/settings/taxes')
  const rates = page.getByRole('list', { name: 'Tax rates' })
  await rates.getByRole('listitem').first().waitFor()
  const read = async () => (await service.request('GET', '/tax-settings', { token: admin.accessToken })).body
  const before = await read()
  await expectAccessible(page, 'the taxes')
  await button(page, 'Add a tax rate').click()
  const added = rates.getByRole('listitem').last()
  assert.ok(await button(page, 'Save').isDisabled())
  await added.getByLabel('Country').selectOption('AT')
  await added.getByRole('textbox', { name: 'Tax rate' }).fill('20.5')
  await page.getByText('Prices contain the tax').click()
  await button(page, 'Save').click()
  await page.getByText('Saved. It applies to new quotes and orders.').waitFor()
  const after = await read()
  assert.equal(after.taxIncluded, !before.taxIncluded)
  assert.deepEqual(after.rates, [...before.rates, { country: 'AT', basisPoints: 2050 }])
})

test('an operator does not see the settings', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/settings')
  await page.getByText('Your role has no access to this page').waitFor()
  assert.equal(await link(page, 'Settings').count(), 0)
})
