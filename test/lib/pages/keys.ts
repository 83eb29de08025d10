import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { until } from '../until.ts'
import type { Shop } from './shop.ts'

const MOST_TABS = 60

const REFUSE_POINTERS = `for (const type of ['pointerdown', 'mousedown', 'touchstart']) {
  addEventListener(type, ({ isTrusted }) => { if (isTrusted) console.error('A pointer was used.') }, true)
}`

/** Opens a page of the console as a new operator or administrator, with keys alone. */
export async function openByKeys(shop: Shop, path: string, role: 'operator' | 'admin' = 'operator') {
  return signInByKeys(shop, `/console${path}`, await shop.service.signUp({ role }))
}

/** Opens a page that asks for the sign-in and fails the test if a pointer is used, and signs in with keys alone. */
export async function signInByKeys(
  { open, url }: Pick<Shop, 'open' | 'url'>,
  path: string,
  account: { email: string; password: string },
) {
  const page = await open('about:blank')
  await page.addInitScript(REFUSE_POINTERS)
  await page.goto(`${url}${path}`)
  const keys = keysOf(page)
  await keys.tabTo(page.getByLabel('Email address'))
  await keys.type(account.email)
  await keys.tabTo(page.getByLabel('Password', { exact: true }))
  await keys.type(account.password)
  await keys.press('Enter')
  return { page, ...keys }
}

function keysOf(page: Page) {
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const isFocused = async (element: Locator): Promise<boolean> =>
    (await element.and(page.locator(':focus')).count()) > 0
  return {
    press,
    type: (text: string) => page.keyboard.type(text),
    /** Presses Tab until an element has the focus. */
    async tabTo(element: Locator): Promise<void> {
      await element.waitFor()
      for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
        if (await isFocused(element)) return
        await press('Tab')
      }
      assert.fail(`Tab does not lead to ${element}`)
    },
    /** Waits until an element has got the focus by itself. */
    focus: (element: Locator) => until(`the focus on ${element}`, () => isFocused(element)),
  }
}

/** Returns the keys that the open list names. */
export const listedKeys = (page: Page): Promise<string[]> =>
  page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .locator('dd')
    .evaluateAll((shown) => shown.map((keys) => [...keys.children].map((key) => key.textContent).join(' ')))
