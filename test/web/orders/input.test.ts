import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { fillCart, makeDesign, openSignedIn, orderIdOf } from '../../lib/pages/ordering.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

const LEAST_TARGET_PX = 44

/** Fails if a control is smaller than a finger needs. Links within sentences have the size of the text. */
async function expectLargeTargets(page: Page, state: string): Promise<void> {
  const controls = page.locator('main').locator('button, input, select, textarea, a.pl-button')
  const small = await controls.evaluateAll((elements, least) => {
    interface Control {
      outerHTML: string
      checkVisibility(): boolean
      closest(selector: string): Control | null
      getBoundingClientRect(): { width: number; height: number }
    }
    return (elements as unknown as Control[])
      .filter((control) => control.checkVisibility() && control.getBoundingClientRect().width > 1)
      .map((control) => ({ control, box: (control.closest('label') ?? control).getBoundingClientRect() }))
      .filter(({ box }) => box.width < least - 0.5 || box.height < least - 2.5)
      .map(({ control, box }) => `${box.width}×${box.height} ${control.outerHTML.slice(0, 160)}`)
  }, LEAST_TARGET_PX)
  assert.deepEqual(small, [], state)
}

test('an order is placed and paid on a phone with fingers', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const account = await shop.service.signUp()
  const design = await makeDesign(shop, { token: account.accessToken, name: 'Mug' })
  const page = await openSignedIn(shop, account)
  const look = async (state: string): Promise<void> => {
    await expectLargeTargets(page, state)
    await expectNoSidewaysScroll(page, state)
  }
  await fillCart(page, shop.url, [design])
  await button(page, /^Increase/).tap()
  await link(page, 'Cart, one item').waitFor()
  await look('cart')
  await button(page, 'Go to checkout').tap()
  await page.getByLabel('Country').selectOption('AU')
  await page.getByLabel('State or territory').selectOption('Victoria')
  for (const [label, text] of [
    ['Name of the recipient', 'Ada'],
    ['Street and number', '1 Collins Street'],
    ['Town or city', 'Melbourne'],
    ['Postcode', '3000'],
  ] as const) {
    await page.getByLabel(label).tap()
    await page.keyboard.type(text)
  }
  await look('address')
  await button(page, 'Continue to shipping and total').tap()
  await page.getByText('Melbourne VIC 3000').waitFor()
  await look('total')
  await button(page, 'Place the order').tap()
  await heading(page, /^Pay order/).waitFor()
  await look('payment')
  await page.getByText('Good card').tap()
  await button(page, /^Pay €/).tap()
  await page.getByText(/^Thank you. Your order/).waitFor()
  await look('order')
})

test('the keyboard alone leads from the cart to a paid order', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const account = await shop.service.signUp()
  const design = await makeDesign(shop, { token: account.accessToken, name: 'Mug' })
  const page = await openSignedIn(shop, account)
  await fillCart(page, shop.url, [design])
  const { keyboard } = page
  /** Presses the Tab key until the focus is on a control with this name. */
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let count = 0; count < 60; count += 1) {
      await keyboard.press('Tab')
      if (name.test(await page.evaluate(nameOfFocused))) return
    }
    assert.fail(`the Tab key does not reach ${name}`)
  }
  await tabTo(/^Quantity/)
  await keyboard.press('ArrowUp')
  await tabTo(/^Go to checkout/)
  await keyboard.press('Enter')
  await heading(page, 'Checkout').waitFor()
  await tabTo(/^Country/)
  await keyboard.type('Germany')
  for (const [label, text] of [
    [/^Name of the recipient/, 'Ada'],
    [/^Street and number/, 'Weg 1'],
    [/^Postal code/, '10115'],
    [/^Town or city/, 'Berlin'],
  ] as const) {
    await tabTo(label)
    await keyboard.type(text)
  }
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your order' }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Shipping address')
  await tabTo(/^Standard/)
  await keyboard.press('ArrowDown')
  await page.locator('.totals').getByText('€14.90').waitFor()
  await tabTo(/^Place the order/)
  await keyboard.press('Enter')
  await heading(page, /^Pay order/).waitFor()
  const id = orderIdOf(page)
  await tabTo(/^Pay €/)
  await keyboard.press('Enter')
  await page.waitForURL(`${shop.url}/orders/${id}`)
  await page.getByText(/^Thank you. Your order/).waitFor()
  const { body } = await shop.service.request('GET', `/orders/${id}`, { token: account.accessToken })
  assert.deepEqual([body.items[0].quantity, body.shippingMethod], [2, 'express'])
})

/** Runs in the page. */
function nameOfFocused(): string {
  interface Focused {
    labels?: Iterable<{ textContent: string }> | null
    getAttribute(name: string): string | null
    textContent: string
  }
  const { document } = globalThis as unknown as {
    document: { activeElement: Focused; getElementById(id: string): Focused | null }
  }
  const { activeElement: focused } = document
  const ids = (focused.getAttribute('aria-labelledby') ?? '').split(' ')
  const labelled = ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
  const [label] = focused.labels ?? []
  return [labelled, label?.textContent, focused.textContent].find((name) => (name ?? '').trim() !== '')?.trim() ?? ''
}
