import type { Page } from 'playwright-core'
import { button, heading, type OrderName, open, type Scene, type SceneData, settle, signIn } from './scene.ts'

const order = (name: OrderName): Scene => ({
  name: `order-${name}`,
  show: (page, data) => signIn(page, data, `/orders/${data.orders[name]}`),
})

/** Puts the finished design into the cart, and opens the cart. */
async function openCart(page: Page, data: SceneData): Promise<void> {
  await signIn(page, data, `/designs/${data.finishedId}/finished`)
  await button(page, data.text('shop.addToCart')).click()
  await page.getByText(data.text('shop.addedToCart', { name: 'Lake postcard' })).waitFor()
  await open(page, data, '/cart')
  await button(page, data.text('order.toCheckout')).waitFor()
}

async function openCheckout(page: Page, data: SceneData): Promise<void> {
  await openCart(page, data)
  await button(page, data.text('order.toCheckout')).click()
  await heading(page, data.text('order.checkout')).waitFor()
  await page.getByLabel(data.text('order.country')).selectOption('DE')
}

async function fillAddress(page: Page, { text }: SceneData, postalCode: string): Promise<void> {
  await page.getByLabel(text('order.recipient')).fill('Ada Example')
  await page.getByLabel(text('order.street')).fill('Lindenstr. 12')
  await page.getByLabel(text('order.postalCode')).fill(postalCode)
  await page.getByLabel(text('order.city')).fill('Berlin')
  await button(page, text('order.toReview')).click()
}

/** The cart, the checkout and the orders. */
export const ORDER_SCENES: readonly Scene[] = [
  { name: 'cart-empty', show: (page, data) => open(page, data, '/cart') },
  { name: 'cart', show: openCart },
  { name: 'checkout', show: openCheckout },
  {
    name: 'checkout-refused',
    show: async (page, data) => {
      await openCheckout(page, data)
      await fillAddress(page, data, '1011')
      await page.getByText(data.text('order.postalCodeWrong')).waitFor()
    },
  },
  {
    name: 'checkout-review',
    show: async (page, data) => {
      await openCheckout(page, data)
      await fillAddress(page, data, '10969')
      await page.getByRole('heading', { name: data.text('order.yourOrder') }).waitFor()
      await settle(page)
    },
  },
  { name: 'payment', show: (page, data) => signIn(page, data, `/orders/${data.orders.unpaid}/pay`) },
  order('unpaid'),
  order('paid'),
  order('held'),
  order('shipped'),
  order('cancelled'),
  {
    name: 'order-cancel',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data, `/orders/${data.orders.unpaid}`)
      await button(page, data.text('order.cancel')).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  { name: 'orders', show: (page, data) => signIn(page, data, '/orders') },
  { name: 'orders-visitor', show: (page, data) => open(page, data, '/orders') },
]
