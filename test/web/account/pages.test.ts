import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { addAuthenticator } from '../../lib/browser/virtual-authenticator.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { button, heading, link, type Shop, signIn, startShop } from '../../lib/pages/shop.ts'

type Look = (page: Page, state: string) => Promise<void>

/** Signs in through a page of the account, in English. */
async function openAccount({ open, url, service }: Shop): Promise<Page> {
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/security`)
  await addAuthenticator(page)
  await signIn(page, account)
  await heading(page, 'Sign-in and security').waitFor()
  return page
}

/** Visits the dialogs of the account. */
async function visitDialogs(shop: Shop, look: Look): Promise<void> {
  const page = await openAccount(shop)
  const { service, url } = shop
  await button(page, 'Add a phone number').click()
  await page.getByRole('dialog').waitFor()
  await look(page, 'phone number')
  await button(page, 'Cancel').click()
  await button(page, 'Set up the app').click()
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  await look(page, 'authenticator app')
  await button(page, 'Cancel').click()
  await button(page, 'Add a passkey').click()
  await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor()
  await look(page, 'recovery codes')
  await button(page, 'I have stored the codes').click()
  await button(page, 'Actions for Chrome on Linux').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').waitFor()
  await look(page, 'removal of a passkey')

  await page.goto(`${url}/account/api-keys`)
  await button(page, 'New API key').click()
  await button(page, 'Create the key').click()
  await look(page, 'new key without a name')
  await page.getByLabel('Name of the key').fill('A rather long name of a key, for the machine in the cellar')
  await page.getByText('Read everything').click()
  await button(page, 'Create the key').click()
  await page.getByRole('dialog', { name: 'Your new API key' }).waitFor()
  await look(page, 'new key')
  await button(page, 'I have stored the key').click()
  await page.getByRole('list', { name: 'API keys' }).waitFor()
  await look(page, 'list of keys')
  await page.goto(`${url}/account/data`)
  service.clock.shift(601)
  await button(page, 'Delete your account').click()
  await page.getByRole('alertdialog').waitFor()
  await look(page, 'deletion')
  await button(page, 'Cancel').click()
  await button(page, 'Download').click()
  await button(page, 'Recovery code instead').click()
  await look(page, 'question for a recovery code')
}

const PAGES = ['', '/security', '/devices', '/activity', '/api-keys', '/data'].map((path) => `/account${path}`)
const MAIL_LINKS = ['/verify-email', '/reset-password', '/confirm-email']

/** Visits the pages of the account and of mail links, in a language. */
async function visitPages(shop: Shop, language: string, look: Look): Promise<void> {
  const page = await openAccount(shop)
  const { url } = shop
  for (const path of PAGES) {
    await page.goto(`${url}${path}?lang=${language}`)
    await heading(page).waitFor()
    await look(page, path)
  }
  for (const path of MAIL_LINKS) {
    await page.goto(`${url}${path}?lang=${language}`)
    await heading(page).waitFor()
    await look(page, `${path} without a token`)
    await page.goto(`${url}${path}?lang=${language}&token=unknown`)
    await page.locator('form').waitFor()
    await look(page, path)
  }
  await page.locator('main button[type="submit"]').click()
  await page.getByRole('alert').waitFor()
  await look(page, 'invalid link')
}

async function startPages(t: Parameters<typeof startShop>[0], options: Parameters<typeof startShop>[1] = {}) {
  const shop = await startShop(t, options)
  // The browser writes the invalid link and the request for a recent sign-in to its console.
  shop.expectErrors(/status of 40[03]/)
  return shop
}

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

test('axe finds nothing on the pages of the account', { timeout: 240_000 }, async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  await visitPages(await startPages(t), 'de', expectAccessible)
})

test('axe finds nothing in the dialogs of the account', { timeout: 240_000 }, async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  await visitDialogs(await startPages(t), expectAccessible)
})

for (const language of ['en', 'de']) {
  test(`no page of the account scrolls sideways on a phone: ${language}`, { timeout: 240_000 }, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    await visitPages(await startPages(t, PHONE), language, expectNoSidewaysScroll)
  })
}

test('no dialog of the account scrolls sideways on a phone', { timeout: 240_000 }, async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  await visitDialogs(await startPages(t, PHONE), expectNoSidewaysScroll)
})

test('the keyboard alone adds a passkey, and the focus is where the customer goes on', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startPages(t)
  const page = await openAccount(shop)
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>
  const tabTo = async (name: string): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      if ((await focused()).trim() === name) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`the Tab key does not reach "${name}"`)
  }
  await tabTo('Add a passkey')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor()
  await tabTo('I have stored the codes')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await link(page, 'Devices').focus()
  await page.keyboard.press('Enter')
  await heading(page, 'Devices').waitFor()
  await page.waitForFunction('document.activeElement.tagName === "H1"')
  assert.equal(await focused(), 'Devices')
  assert.match(await page.title(), /^Devices – /)
})
