import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { orderJobs } from '../../../src/orders/jobs.ts'
import { type FakeStripe, startStripe } from '../../fakes/stripe/stripe.ts'
import type { Session } from '../../fakes/stripe/stripe-checkout.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { addToCart, finishDesign, orderCart } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Starts a shop that takes payments through Stripe, and orders a mug as a guest. Ends on the page that pays it. */
async function openOrder(t: TestContext): Promise<{ stripe: FakeStripe; shop: Shop; page: Page; id: string }> {
  const stripe = await startStripe(t)
  const shop = await startShop(t, { env: stripe.env })
  const page = await shop.open(shop.url)
  await finishDesign(page, shop.url)
  await addToCart(page)
  const id = await orderCart(page, { email: 'ada@example.com' })
  await page.getByText('You pay on the page of Stripe').waitFor()
  return { stripe, shop, page, id }
}

/** Sends the event of Stripe about a paid page to the service, and runs the job that it causes. */
async function tell({ service }: Shop, stripe: FakeStripe, { id, metadata }: Session): Promise<void> {
  const object = { object: 'checkout.session', id, metadata }
  const { body, headers } = stripe.event('checkout.session.completed', object, { at: service.clock.now() })
  const answer = await service.request('POST', '/payments/stripe/webhook', { body, headers })
  assert.equal(answer.status, 200, answer.text)
  const job = orderJobs(service.services.orders).find(({ name }) => name === 'orders.check_charge')
  await job?.handle({ provider: 'stripe', reference: id, attemptId: metadata['platen_attempt'] })
}

/** Checks a state of a page of the shop. */
async function look(page: Page, state: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, state)
  await page.setViewportSize({ width: 1280, height: 800 })
  await expectAccessible(page, state)
}

const lastSession = ({ sessions }: FakeStripe): Session => {
  const session = sessions.at(-1)
  assert.ok(session !== undefined)
  return session
}

async function openPaymentPage(page: Page, stripe: FakeStripe): Promise<Session> {
  await button(page, /^Pay €/).click()
  await page.waitForURL(`${stripe.url}/c/pay/*`)
  return lastSession(stripe)
}

test('a guest leaves the page of Stripe, returns, pays there after a declined card, and sees the order confirmed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { stripe, shop, page, id } = await openOrder(t)
  await look(page, 'payment')
  const first = await openPaymentPage(page, stripe)
  assert.equal(first.email, 'ada@example.com')
  await page.getByRole('radio', { name: 'Declining card' }).check()
  await button(page, 'Pay').click()
  await page.getByText('Your card was declined.').waitFor()
  await link(page, 'Back to the shop').click()
  await page.waitForURL(`${shop.url}/orders/${id}?payment=left`)
  await page.getByText('You have left the payment page, and nothing was charged.').waitFor()
  await look(page, 'order with an open payment page')

  await link(page, 'Pay now').click()
  assert.equal(await openPaymentPage(page, stripe), first)
  await button(page, 'Pay').click()
  await page.waitForURL(`${shop.url}/orders/${id}?payment=returned`)
  await page.getByText('Your payment is being confirmed.').waitFor()
  await look(page, 'order with a payment that is being confirmed')
  assert.equal(await link(page, 'Pay now').count(), 0)
  // The page follows the message of Stripe by itself.
  await tell(shop, stripe, first)
  await page.getByText(/^Thank you. Your order PL-/).waitFor()
  await page.waitForURL(`${shop.url}/orders/${id}`)
  assert.deepEqual([stripe.sessions.length, stripe.ledger().captured], [1, first.amount])
})

test('a customer who returns before the message of Stripe can have the service ask', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { stripe, shop, page, id } = await openOrder(t)
  await openPaymentPage(page, stripe)
  await button(page, 'Pay').click()
  await button(page, 'Check the payment now').click()
  await page.getByText(/^Thank you. Your order PL-/).waitFor()
  await page.waitForURL(`${shop.url}/orders/${id}`)
})

test('the back button of the browser leads to a page that can pay, also in another tab and after an hour', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { stripe, shop, page, id } = await openOrder(t)
  const first = await openPaymentPage(page, stripe)
  await page.goBack()
  await heading(page, /^Pay order/).waitFor()
  assert.equal(await openPaymentPage(page, stripe), first)
  const tab = await page.context().newPage()
  await tab.goto(`${shop.url}/orders/${id}/pay`)
  assert.equal(await openPaymentPage(tab, stripe), first)

  first.status = 'expired'
  await page.reload()
  await page.getByText('This page has expired.').waitFor()
  await page.goto(`${shop.url}/orders/${id}/pay`)
  const second = await openPaymentPage(page, stripe)
  assert.notEqual(second, first)
  await button(page, 'Pay').click()
  await button(page, 'Check the payment now').click()
  await page.getByText(/^Thank you. Your order PL-/).waitFor()
  // The other tab shows the expired page, whose link leads to the paid order.
  await tab.goto(first.cancelUrl)
  await tab.getByText('Your order is paid and waits for production.').waitFor()
})

test('a bank that takes days declines, and the order can be paid again', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { stripe, shop, page } = await openOrder(t)
  const session = await openPaymentPage(page, stripe)
  await page.getByRole('radio', { name: 'Bank debit' }).check()
  await button(page, 'Pay').click()
  const answer = page.waitForResponse(/\/pay$/)
  await button(page, 'Check the payment now').click()
  assert.equal((await answer).status(), 200)
  await page.getByText('Your payment is being confirmed.').waitFor()
  stripe.finishProcessing(session.intent?.id ?? '', false)
  await tell(shop, stripe, session)
  await page.getByText('The card was declined.').waitFor()
  await look(page, 'order with a declined payment')
  await link(page, 'Pay now').click()
  assert.notEqual(await openPaymentPage(page, stripe), session)
})

test('a step that the shop does not offer is explained, and the order can still be paid', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, page, stripe, id } = await openOrder(t)
  const explanation = page.getByText('Your bank asks for a step that is not possible here.')
  let asks = true
  await page.route(/\/pay$/, async (route) => {
    if (route.request().method() !== 'POST' || !asks) return route.continue()
    const response = await route.fetch()
    const order = await response.json()
    order.payment.nextAction = { type: 'use_stripe_sdk', clientSecret: 'pi_secret' }
    return route.fulfill({ response, json: order })
  })
  await button(page, /^Pay €/).click()
  await explanation.waitFor()
  assert.equal(await page.getByText('Your payment is being confirmed.').count(), 0)
  await link(page, 'Pay later').click()
  await link(page, 'Pay now').waitFor()

  await page.goto(`${shop.url}/orders/${id}?payment=returned`)
  await button(page, 'Check the payment now').click()
  await explanation.waitFor()
  asks = false
  await link(page, 'Pay now').click()
  await openPaymentPage(page, stripe)
})

test('the page sends no customer to a script', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page } = await openOrder(t)
  await page.route(/\/pay$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    const order = await response.json()
    order.payment.nextAction.redirectUrl = 'javascript:alert(1)'
    return route.fulfill({ response, json: order })
  })
  await button(page, /^Pay €/).click()
  await page.getByText('This payment is not possible here at the moment.').waitFor()
})
