import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { button, heading, link, type Shop, signIn, startShop } from '../../lib/pages/shop.ts'
import { enableTotp } from '../../lib/second-factor.ts'

const PASSWORD = 'a quiet lake at dusk'

/** Returns the link in the newest mail to an email address that leads to a page of the shop. */
async function mailedLink({ service, url }: Shop, email: string, path: string): Promise<string> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  const texts = body.flatMap((mail: { to: string; text: string }) => (mail.to === email ? [mail.text] : []))
  const found = texts.flatMap((text: string) => text.match(new RegExp(`${url}${path}\\?token=[\\w.-]+`)) ?? [])
  assert.ok(found[0] !== undefined, `no mail with ${path}`)
  return found[0]
}

/** Opens the link of a mail as a mail program does. Fails if anything but the request for the page names its token. */
async function openMailedLink(page: Page, mailed: string): Promise<void> {
  const token = new URL(mailed).searchParams.get('token') ?? ''
  const told: string[] = []
  page.on('request', (request) => {
    const isPage = request.isNavigationRequest()
    if (!isPage && request.url().includes(token)) told.push(request.url())
    void request.allHeaders().then(
      ({ referer = '' }) => {
        if (referer.includes(token)) told.push(`Referer of ${request.url()}`)
      },
      () => undefined,
    )
  })
  await page.goto(mailed)
  await heading(page).waitFor()
  await page.waitForFunction('location.search === ""')
  await page.waitForLoadState('networkidle')
  assert.deepEqual(told, [])
}

test('the links in mails confirm an account, set a password and change the address', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { open, url, service } = shop
  shop.expectErrors(/status of (400|401|422)/)
  const email = 'ada@example.com'
  await service.request('POST', '/api/auth/register', { body: { email, password: PASSWORD } })
  const page = await open(`${url}/verify-email?token=unknown`)
  await button(page, 'Confirm').click()
  await page.getByText('This link is no longer valid.').waitFor()
  await openMailedLink(page, await mailedLink(shop, email, '/verify-email'))
  await button(page, 'Confirm').click()
  await heading(page, 'Your email address is confirmed').waitFor()
  await link(page, 'Sign in').last().click()

  await link(page, 'Forgot your password?').click()
  await page.getByLabel('Email address').fill(email)
  await button(page, 'Send the mail').click()
  await page.getByText('a mail with a link is on its way').waitFor()
  await openMailedLink(page, await mailedLink(shop, email, '/reset-password'))
  const newPassword = page.getByLabel('New password')
  await newPassword.fill('password1234')
  await button(page, 'Set the password').click()
  await page.getByText('This password is too easy to guess.').waitFor()
  await newPassword.fill('gravel tango lighthouse')
  await button(page, 'Set the password').click()
  await heading(page, 'Your password was changed').waitFor()

  await page.goto(`${url}/sign-in?next=/account`)
  await signIn(page, { email, password: 'gravel tango lighthouse' })
  await page.getByLabel('New email address').fill('grace@example.com')
  await button(page, 'Change the address').click()
  await page.getByText('We have sent a mail to grace@example.com.').waitFor()
  await openMailedLink(page, await mailedLink(shop, 'grace@example.com', '/confirm-email'))
  await button(page, 'Confirm').click()
  await heading(page, 'Your account has a new email address').waitFor()
  await link(page, 'To your account').click()
  await page.getByText('Your address is grace@example.com.').waitFor()
})

test('a page of a mail link without its token says what to do, also after the way back', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const page = await shop.open(`${shop.url}/reset-password`)
  await page.getByText('The link is incomplete or was opened before.').waitFor()
  await link(page, 'Request a new mail').click()
  await heading(page, 'New password').waitFor()
})

test('PW-1: the page of a new password knows the minimum length of the settings', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { env: { PLATEN_PASSWORD_MIN_LENGTH: '20' } })
  const page = await shop.open(`${shop.url}/reset-password?token=x`)
  await page.getByText('At least 20 characters').waitFor()
  assert.equal(await page.getByLabel('New password').getAttribute('minlength'), '20')
})

test('a new password ends the session of this browser without asking to sign in again', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 401/)
  const account = await shop.service.signUp()
  const page = await shop.open(`${shop.url}/sign-in?next=/account`)
  await signIn(page, account)
  await heading(page, 'Account').waitFor()
  await shop.service.request('POST', '/api/auth/password/forgot', { body: { email: account.email } })
  await page.goto(await mailedLink(shop, account.email, '/reset-password'))
  await page.getByLabel('New password').fill('gravel tango lighthouse')
  await button(page, 'Set the password').click()
  await heading(page, 'Your password was changed').waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('the links in mails accept invitations, with a new and an old account, and keep second factors', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { open, url, service } = shop
  // The new second factor ends the session of the browser.
  shop.expectErrors(/status of (400|401|422)/)
  const admin = await service.signUp({ role: 'admin' })
  const invite = (email: string) =>
    service.request('POST', '/invitations', { token: admin.accessToken, body: { email, role: 'operator' } })
  const roleOf = async (email: string) =>
    (await service.request('GET', `/users?email=${email}`, { token: admin.accessToken })).body.data[0]?.role

  const page = await open(`${url}/accept-invitation?token=unknown`)
  await page.getByText('This link is no longer valid.').waitFor()
  await invite('new@example.com')
  await openMailedLink(page, await mailedLink(shop, 'new@example.com', '/accept-invitation'))
  await expectAccessible(page, 'invitation')
  await page.getByLabel('Password', { exact: true }).fill('password1234')
  await button(page, 'Accept the invitation').click()
  await page.getByText('too easy to guess').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(page, 'Accept the invitation').click()
  await heading(page, 'Invitation accepted').waitFor()
  assert.equal(await roleOf('new@example.com'), 'operator')

  const known = await service.signUp({ email: 'known@example.com', password: PASSWORD })
  await invite(known.email)
  await openMailedLink(page, await mailedLink(shop, known.email, '/accept-invitation'))
  await page.getByText('The email address known@example.com has an account.').waitFor()
  await link(page, 'Sign in').last().click()
  await signIn(page, known)
  await button(page, 'Accept the invitation').click()
  await heading(page, 'Invitation accepted').waitFor()
  assert.equal(await roleOf(known.email), 'operator')

  await enableTotp(service, known)
  const reset = { token: admin.accessToken }
  await service.request('POST', `/users/${known.userId}/factor-resets`, reset)
  await openMailedLink(page, await mailedLink(shop, known.email, '/stop-factor-reset'))
  await expectAccessible(page, 'removal of factors')
  await button(page, 'Stop the removal').click()
  await heading(page, 'Removal stopped').waitFor()
  const { body } = await service.request('GET', '/factor-resets', reset)
  assert.equal(body.data[0].status, 'stopped')
})
