import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, signIn, startShop } from '../../lib/pages/shop.ts'
import { enableTotp, totpCode } from '../../lib/second-factor.ts'

test('a customer learns that the console is for staff, and an operator gets to the page of the URL', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service, url } = shop
  const customer = await service.signUp()
  const page = await openConsole(shop, customer, '/orders?status=on_hold')
  await heading(page, 'This account cannot use the console').waitFor()
  await page.getByText(customer.email).waitFor()
  assert.equal(await page.getByRole('navigation').count(), 0)

  await button(page, 'Sign in with another account').click()
  await signIn(page, await service.signUp({ role: 'operator' }))
  await heading(page, 'Orders').waitFor()
  assert.equal(page.url(), `${url}/console/orders?status=on_hold`)

  // The session is the one of the shop, and ends in both.
  const shopPage = await shop.open(url)
  await link(shopPage, 'Account').waitFor()
  await button(page, /^Account of/).click()
  await button(page, 'Sign out').click()
  await heading(page, 'Sign in to the console').waitFor()
  await link(shopPage, 'Sign in').waitFor()
})

test('an operator with a second factor confirms it before the console opens', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const operator = await shop.service.signUp({ role: 'operator' })
  const { secret } = await enableTotp(shop.service, operator)
  const page = await openConsole(shop, operator)
  await page.getByLabel('Code of the authenticator app').waitFor()
  assert.equal(await page.getByRole('navigation').count(), 0)
  await page.getByLabel('Code of the authenticator app').fill(totpCode(secret, shop.service.clock))
  await button(page, 'Confirm').click()
  await link(page, 'Orders').waitFor()
})
