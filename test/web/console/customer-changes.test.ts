import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

async function addCustomer({ service }: Shop, token: string, externalId: string, name: string): Promise<string> {
  return (await service.request('POST', '/customers', { token, body: { externalId, name } })).body.id
}

/** Places an order of a mug for a customer without an account. */
async function orderFor({ service }: Shop, token: string, customerId: string): Promise<string> {
  const as = { token, headers: { 'Platen-Customer': customerId } }
  const { data } = (await service.request('GET', '/products?limit=100', { token })).body
  const product = data.find(({ name }: { name: string }) => name === 'Mug')
  const layer = { id: 'a', type: 'text', x: 10, y: 10, width: 150, height: 16, text: 'Ada', fontFamily: 'Inter' }
  const document = { version: 1, placements: [{ printAreaId: 'wrap', layers: [{ ...layer, fontSizePt: 14 }] }] }
  const design = { name: 'Mug', productId: product.id, variantId: product.variants[0].id, document }
  const { id: designId } = (await service.request('POST', '/designs', { ...as, body: design })).body
  await service.request('POST', `/designs/${designId}/finalize`, as)
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const placed = await service.request('POST', '/orders', { ...as, body })
  assert.equal(placed.status, 201, placed.text)
  return placed.body.number
}

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

test('an operator edits a customer, issues a token, merges and deletes, knowing the consequences', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service, url } = shop
  const operator = await service.signUp({ role: 'operator' })
  const { accessToken: token } = operator
  const [school, club, choir] = [
    await addCustomer(shop, token, 'school-7', 'School'),
    await addCustomer(shop, token, 'club-1', 'Club'),
    await addCustomer(shop, token, 'choir-1', 'Choir'),
  ]
  const [number, other] = [await orderFor(shop, token, school), await orderFor(shop, token, choir)]
  const page = await openConsole(shop, operator, `/customers/${school}`)
  await heading(page, 'School').waitFor()
  await button(page, 'Edit').click()
  const editing = dialogOf(page, 'Edit')
  await editing.getByLabel('Name').fill('School 7')
  await editing.getByLabel('Id in your system').fill('club-1')
  await expectAccessible(page, 'the dialog to edit a customer')
  await editing.getByRole('button', { name: 'Save' }).click()
  await editing.getByText('Another customer has this id.').waitFor()
  shop.expectErrors(/status of 409/)
  await editing.getByLabel('Id in your system').fill('')
  await editing.getByRole('button', { name: 'Save' }).click()
  await heading(page, 'School 7').waitFor()
  const read = async () => (await service.request('GET', `/customers/${school}`, { token })).body
  assert.deepEqual([(await read()).name, (await read()).externalId], ['School 7', null])

  await button(page, 'Issue a token').click()
  const issuing = dialogOf(page, 'Issue a token for “School 7”')
  await issuing.getByText(/^A program with this token acts as “School 7”/).waitFor()
  await issuing.getByLabel('Valid for').selectOption('One minute')
  await issuing.getByRole('button', { name: 'Issue a token' }).click()
  const issued = dialogOf(page, 'Your token')
  const customerToken = await issued.locator('code').textContent()
  const own = await service.request('GET', '/orders', { token: customerToken ?? '' })
  assert.deepEqual(
    own.body.data.map((order: { number: string }) => order.number),
    [number],
  )
  await expectAccessible(page, 'a token')
  await issued.getByRole('button', { name: 'Close' }).last().click()

  await link(page, 'All orders').click()
  await page.waitForURL(`${url}/console/orders?customer=${school}`)
  await link(page, number).waitFor()
  assert.equal(await link(page, other).count(), 0)
  await button(page, 'Remove the filter Customer: School 7').click()
  await link(page, other).waitFor()

  await page.goto(`${url}/console/customers/${school}`)
  await button(page, 'Merge').click()
  const merging = dialogOf(page, 'Merge “School 7” into another customer')
  await merging.getByLabel('Search customers').fill('club')
  await merging.getByRole('button', { name: 'Choir' }).waitFor({ state: 'detached' })
  await merging.getByRole('button', { name: 'Club' }).click()
  await merging.getByText(/^All orders, designs, .* of “School 7” move to “Club”\.$/).waitFor()
  await expectAccessible(page, 'a merge')
  await merging.getByRole('button', { name: 'Merge into “Club”' }).click()
  await heading(page, 'Club').waitFor()
  await link(page, number).waitFor()
  assert.equal(page.url(), `${url}/console/customers/${club}`)
  assert.equal((await service.request('GET', `/customers/${school}`, { token })).status, 404)

  await button(page, 'Delete').click()
  const deleting = dialogOf(page, 'Delete “Club”')
  await deleting.getByText('This cannot be undone.').waitFor()
  await deleting.getByRole('button', { name: 'Delete for good' }).click()
  await heading(page, 'Customers').waitFor()
  await link(page, 'Choir').waitFor()
  assert.equal(await link(page, 'Club').count(), 0)
  assert.equal((await service.request('GET', `/customers/${club}`, { token })).status, 404)
})

test('an operator can only edit the customer of an account, but not its email address', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { email, userId } = await service.signUp()
  const page = await openConsole(
    shop,
    await service.signUp({ role: 'operator' }),
    `/customers/${userId.replace('usr_', 'cus_')}`,
  )
  await heading(page, email).waitFor()
  await button(page, 'Edit').click()
  const editing = dialogOf(page, 'Edit')
  await editing.getByText(/^The email address belongs to the account/).waitFor()
  assert.equal(await editing.getByLabel('Email address').count(), 0)
  await editing.getByLabel('Name').fill('Grace')
  await editing.getByRole('button', { name: 'Save' }).click()
  await heading(page, 'Grace').waitFor()
  for (const name of ['Issue a token', 'Merge', 'Delete']) assert.equal(await button(page, name).count(), 0)
})
