import type { Page } from 'playwright-core'
import { button, heading, type OrderName, open, type Scene, type SceneData, settle, signIn } from '../scene.ts'

const order = (name: OrderName): Scene => ({
  name: `order-${name}`,
  show: (page, data) => signIn(page, data, `/orders/${data.orders[name]}`),
})

async function addToCart(page: Page, data: SceneData, designId: string): Promise<void> {
  await open(page, data, `/designs/${designId}/finished`)
  await button(page, data.text('shop.addToCart')).click()
  await page.getByRole('link', { name: data.text('shop.toCart'), exact: true }).waitFor()
}

/** Puts a finished design into the cart, and opens the cart. */
async function openCart(page: Page, data: SceneData, designId = data.finishedId): Promise<void> {
  await signIn(page, data)
  await addToCart(page, data, designId)
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
  { name: 'cart', show: (page, data) => openCart(page, data) },
  { name: 'cart-texts', show: (page, data) => openCart(page, data, data.cardsId) },
  {
    name: 'cart-texts-missing',
    show: async (page, data) => {
      await openCart(page, data, data.cardsId)
      await button(page, data.text('order.toCheckout')).click()
      await page.locator('[aria-invalid="true"]').first().waitFor()
    },
  },
  {
    name: 'finished-in-cart',
    show: async (page, data) => {
      await signIn(page, data)
      await addToCart(page, data, data.finishedId)
      await settle(page)
    },
  },
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
  order('asked'),
  order('delayed'),
  order('parts'),
  order('shipped'),
  order('delivered'),
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
  {
    name: 'payment-declined',
    show: async (page, data) => {
      await signIn(page, data, `/orders/${data.orders.unpaid}/pay`)
      await page.getByText(data.text('order.cardDeclined'), { exact: true }).click()
      await page.locator('form').getByRole('button').click()
      await page.getByText(data.text('order.declined')).waitFor()
    },
  },
  { name: 'orders-empty', show: (page, data) => signIn(page, data, '/orders', data.newcomer) },
  {
    name: 'order-not-found',
    show: async (page, data) => {
      await signIn(page, data)
      await open(page, data, '/orders/ord_01h455vb4pex5vsknk084sn02q')
    },
  },
  { name: 'orders', show: (page, data) => signIn(page, data, '/orders') },
  { name: 'orders-visitor', show: (page, data) => open(page, data, '/orders') },
]
