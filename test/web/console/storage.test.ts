import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePng, upload } from '../../../src/assets/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

test('an administrator sees who stores the most, and gives an account a quota of its own', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const person = await service.signUp()
  const guest = (await service.request('POST', '/api/auth/guest')).body
  for (const { accessToken } of [person, guest]) {
    assert.equal((await upload(service, accessToken, await makePng())).status, 201)
  }
  const accountOf = async (id: string) =>
    (await service.request('GET', `/storage/accounts/${id}`, { token: admin.accessToken })).body
  const page = await openConsole(shop, admin, '/settings/storage')
  const table = page.getByRole('table', { name: 'Storage by account' })
  await page.getByText('Quota of each account').waitFor()
  await link(page, person.email).waitFor()
  await expectAccessible(page, 'the storage')
  await button(page, `Change the quota ${person.email}`).click()
  const dialog = page.getByRole('dialog', { name: 'Change the quota' })
  await dialog.getByLabel('Quota of this account').fill('3000 TB')
  await dialog.getByText('This is more than any disk holds.').waitFor()
  await expectAccessible(page, 'a quota that is too large')
  await dialog.getByLabel('Quota of this account').fill('5')
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await dialog.getByLabel('Quota of this account').press('Tab')
  await dialog.getByText('Write a number and its unit: kB, MB, GB or TB.').waitFor()
  await dialog.getByLabel('Quota of this account').fill('5 GB')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It applies to the next upload.').waitFor()
  await table.getByText('own quota').nth(1).waitFor()
  assert.equal((await accountOf(person.userId)).storageQuota, 5_000_000_000)
  // A quota from the API that is no whole number of megabytes.
  const body = { storageQuota: 123_456_789 }
  await service.request('PATCH', `/storage/accounts/${person.userId}`, { token: admin.accessToken, body })
  await page.reload()
  await button(page, `Change the quota ${person.email}`).click()
  assert.equal(await dialog.getByLabel('Quota of this account').inputValue(), '123.456789 MB')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await accountOf(person.userId)).storageQuota, 123_456_789)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the storage')
  await page.reload()
  await link(page, person.email).waitFor()
  const view = await page.getByRole('navigation').getByRole('link', { name: 'Storage' }).boundingBox()
  assert.ok(view !== null && view.x >= 0 && view.x + view.width <= 360, 'the row of views shows the present one')

  await link(page, person.email).click()
  await heading(page, new RegExp(person.email)).waitFor()
  const section = page.getByRole('region', { name: 'Storage' })
  await section.getByText('The account has a quota of its own.').waitFor()
  await expectAccessible(page, 'a person with storage')
  await expectNoSidewaysScroll(page, 'a person with storage')
  await section.getByRole('button', { name: 'Change the quota' }).click()
  await dialog.getByLabel('Quota of this account').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await section.getByText('The account has the default quota.').waitFor()
  assert.equal((await accountOf(person.userId)).storageQuota, null)

  const { body: accounts } = await service.request('GET', '/storage/accounts', { token: admin.accessToken })
  const visitor = accounts.data.find(({ kind }: { kind: string }) => kind === 'guest')
  await page.goto(`${shop.url}/console/customers/${visitor.customerId}?lang=de`)
  const germanSection = page.getByRole('region', { name: 'Speicher' })
  await germanSection.getByText('Das Konto hat ein eigenes Kontingent.').waitFor()
  await expectAccessible(page, 'a guest with storage')
})

test('an operator does not see what customers store', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const customer = await service.signUp()
  const { customerId } = (await service.request('GET', '/me', { token: customer.accessToken })).body
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/customers/${customerId}`)
  await page
    .getByText('No orders yet')
    .or(page.getByRole('region', { name: 'Orders' }))
    .first()
    .waitFor()
  assert.equal(await page.getByRole('region', { name: 'Storage' }).count(), 0)
})
