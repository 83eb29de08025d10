import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import type { SignedUp } from '../../people.ts'
import {
  drawItemFiles,
  expirePrice,
  fillAddress,
  fillCart,
  makeDesign,
  openSignedIn,
  operate,
  payWith,
} from './ordering.ts'
import { button, heading, link, type Shop } from './shop.ts'

export type Look = (page: Page, state: string) => Promise<void>

/** Visits the pages of ordering in their states. */
export async function visitOrderStates(shop: Shop, look: Look): Promise<void> {
  const { open, url, service } = shop
  const visitor = await open(`${url}/cart`)
  await visitor.getByRole('heading', { name: 'Your cart is empty' }).waitFor()
  await look(visitor, 'empty cart')
  await visitor.goto(`${url}/orders`)
  await visitor.getByRole('heading', { name: 'No orders yet' }).waitFor()
  await look(visitor, 'orders of a visitor')

  const account = await service.signUp()
  const page = await openSignedIn(shop, account)
  await visitCart(shop, page, account, look)
  await visitCheckout(page, look)
  await visitPayment(shop, page, look)
  await visitOrders(shop, page, account, look)
}

async function visitCart(shop: Shop, page: Page, { accessToken: token }: SignedUp, look: Look): Promise<void> {
  const { url, service } = shop
  const ids: string[] = []
  for (const name of ['A mug with a name that is far too long for one line', 'Deleted mug', 'Old mug']) {
    ids.push(await makeDesign(shop, { token, name }))
  }
  ids.push(await makeDesign(shop, { token, name: 'Mug for a guest', texts: ['For {{guest}}', 'Table {{table}}'] }))
  const [, deleted = '', old = ''] = ids
  await expirePrice(service, old)
  await fillCart(page, url, ids)
  await service.request('DELETE', `/designs/${deleted}`, { token })
  await page.reload()
  await page.getByText('2 items cannot be ordered as they are.').waitFor()
  await page.getByRole('img', { name: /^Mug for a guest/ }).waitFor()
  await look(page, 'cart with problems')
  await button(page, 'Remove “Deleted mug”').click()
  await button(page, 'Renew the price').click()
  await page.getByText(/cannot be ordered/).waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'guest' }).fill('Grace')
  await page.getByRole('textbox', { name: 'table' }).fill('7')
  await look(page, 'cart')
}

async function visitCheckout(page: Page, look: Look): Promise<void> {
  await button(page, 'Go to checkout').click()
  await page.getByLabel('Country').selectOption('US')
  await page.getByLabel('ZIP code').waitFor()
  await look(page, 'address in the United States')
  await page.getByLabel('Country').selectOption('DE')
  await page.getByLabel('Name of the recipient').fill('Ada Lovelace')
  await page.getByLabel('Street and number').fill(ADDRESS.line1)
  await page.getByLabel('Postal code').fill('1011')
  await page.getByLabel('Town or city').fill(ADDRESS.city)
  await button(page, 'Continue to shipping and total').click()
  await page.getByText('This is not a postal code of this country.').waitFor()
  await look(page, 'refused address')
  await fillAddress(page)
  await look(page, 'total')
}

async function visitPayment(shop: Shop, page: Page, look: Look): Promise<void> {
  await button(page, 'Place the order').click()
  await heading(page, /^Pay order/).waitFor()
  await look(page, 'payment')
  await payWith(page, 'Declining card')
  await page.getByText('The card was declined.').waitFor()
  await look(page, 'declined payment')
  await link(page, 'Pay later').click()
  await link(page, 'Pay now').waitFor()
  await look(page, 'unpaid order')
  await link(page, 'Pay now').click()
  await payWith(page, 'Good card')
  await page.getByText(/^Thank you. Your order/).waitFor()
  await page.getByText('The print file with your texts is being made.').waitFor()
  await drawItemFiles(shop)
  await page.getByRole('img', { name: 'Picture of “Mug for a guest”' }).waitFor()
  await look(page, 'paid order')
}

async function visitOrders(shop: Shop, page: Page, { accessToken: token }: SignedUp, look: Look): Promise<void> {
  const { url } = shop
  const id = /ord_\w+/.exec(page.url())?.[0] ?? ''
  const act = await operate(shop)
  await button(page, 'Cancel the order').click()
  await page.getByRole('alertdialog').waitFor()
  await look(page, 'question before cancelling')
  await button(page, 'Keep the order').last().click()
  for (const resolution of ['address', 'answer', 'none']) {
    await act(id, 'hold', { reason: 'Is the house number right?\nThe carrier does not know it.', resolution })
    await page.locator('.hold').waitFor()
    await look(page, `hold, ${resolution}`)
    await act(id, 'release')
    await page.locator('.hold').waitFor({ state: 'detached' })
  }
  await act(id, 'start-production')
  const order = await shop.service.request('GET', `/orders/${id}`, { token })
  // A part leaves first, so that there are two parcels.
  const items = [{ itemId: order.body.items[0].id, quantity: 1 }]
  const tracking = { trackingNumber: '00340434161094042557', trackingUrl: 'https://example.com/track' }
  const first = await act(id, 'shipments', { carrier: 'DHL', ...tracking, items })
  await act(id, 'shipments', { carrier: 'A carrier with a long name' })
  await act(id, `shipments/${first.id}/deliver`)
  await page.getByText(/^Delivered on/).waitFor()
  await look(page, 'order with parcels')

  const design = await makeDesign(shop, { token, name: 'Second mug' })
  await fillCart(page, url, [design])
  await button(page, 'Go to checkout').click()
  await button(page, 'Continue to shipping and total').click()
  await button(page, 'Place the order').click()
  await payWith(page, 'Good card')
  await button(page, 'Cancel the order').click()
  await button(page, 'Cancel the order').last().click()
  await page.getByText(/was paid back on/).waitFor()
  await look(page, 'cancelled order')
  await page.goto(`${url}/orders`)
  await link(page, /^Order PL-/)
    .nth(1)
    .waitFor()
  await look(page, 'orders')
  await page.goto(`${url}/orders/ord_01h455vb4pex5vsknk084sn02q`)
  await heading(page, 'Order not found').waitFor()
  await look(page, 'missing order')
}
