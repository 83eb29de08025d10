import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../lib/browser/browser.ts'
import { button, confirmAndSignIn, heading, link, register, signIn, startDesign, startShop } from '../lib/pages/shop.ts'
import { enableTotp, totpCode } from '../lib/second-factor.ts'
import { until } from '../lib/until.ts'

const PASSWORD = 'a quiet lake at dusk'

test('a guest creates an account, and finds the designs in it after the sign-in', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const page = await open(url)
  await startDesign(page, 'A6 postcard')
  await link(page, 'Sign in to keep it').click()
  const account = { email: 'ada@example.com', password: PASSWORD }
  await register(page, account)
  const mails = await open(url + (await link(page, 'Open the outbox (development)').getAttribute('href')))
  await heading(mails, 'Outbox').waitFor()
  await mails.getByText('To ada@example.com').waitFor()
  await mails.close()
  await confirmAndSignIn(page, service, account)
  await page.getByText('Your design is now in your account.').waitFor()
  await page.locator('platen-editor').waitFor()
  await link(page, 'Back to my designs').click()
  await link(page, /^A6 postcard, /).waitFor()

  await link(page, 'Account').click()
  await button(page, 'Sign out').click()
  await link(page, 'Sign in').waitFor()
  await link(page, 'My designs').click()
  await page.getByRole('heading', { name: 'No designs yet' }).waitFor()
})

test('the designs of a guest stay during the registration, and come along when another tab signs in', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const page = await open(url)
  const designId = await startDesign(page, 'Mug')
  await link(page, 'Back to my designs').click()
  await link(page, 'Sign in to keep them').click()
  await link(page, 'Create an account').click()
  await page.getByText('Your designs come with you.').waitFor()
  await page.getByLabel('Email address').fill('grace@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(page, 'Create an account').click()
  await heading(page, 'Read your mail').waitFor()

  // The address is not confirmed yet, and the page is loaded again meanwhile.
  await link(page, 'My designs').click()
  await link(page, /^Mug, /).waitFor()
  await page.reload()
  await link(page, /^Mug, /).waitFor()

  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  const [, token] = /token=([\w.-]+)/.exec(outbox[0].text) ?? []
  await service.request('POST', '/api/auth/email/verify', { body: { token } })
  // The link of the mail opens another tab.
  const other = await open(`${url}/sign-in`)
  await signIn(other, { email: 'grace@example.com', password: PASSWORD })
  await other.getByText('Your design is now in your account.').waitFor()
  await link(other, /^Mug, /).click()
  await other.locator(`platen-editor[design="${designId}"]`).waitFor()
  await link(page, 'Account').waitFor()
  await link(page, /^Mug, /).waitFor()
})

test('scripts of the page find no token outside of the memory of the client', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, context } = await startShop(t)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in`)
  await signIn(page, account)
  await heading(page, 'My designs').waitFor()
  const readable = await page.evaluate(() => {
    const { document, localStorage, sessionStorage } = globalThis as unknown as {
      document: { cookie: string }
      localStorage: object
      sessionStorage: object
    }
    return [document.cookie, { ...localStorage }, { ...sessionStorage }]
  })
  assert.deepEqual(readable, ['', { 'platen.session': 'user' }, {}])
  const cookies = await context.cookies()
  assert.deepEqual(
    cookies.filter(({ name }) => name === 'platen_session').map(({ httpOnly, sameSite }) => [httpOnly, sameSite]),
    [[true, 'Strict']],
  )
})

test('a sign-in asks for the second factor, and says what is wrong in words of customers', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of 401/)
  const account = await service.signUp()
  const { secret } = await enableTotp(service, account)
  const page = await open(`${url}/sign-in`)
  await signIn(page, { email: account.email, password: 'something else entirely' })
  await page.getByText('Email address or password is wrong.').waitFor()
  await signIn(page, account)
  const code = page.getByLabel('Code of the authenticator app')
  await code.fill('000000')
  await button(page, 'Confirm').click()
  await page.getByText('This code is wrong or was used already.').waitFor()
  await code.fill(totpCode(secret, service.clock))
  await button(page, 'Confirm').click()
  await heading(page, 'My designs').waitFor()
})

test('an ended session asks for the password again, and the page stays', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of 401/)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/`)
  await signIn(page, account)
  const id = await startDesign(page, 'Mug')
  await service.request('POST', '/api/auth/sessions/revoke-others', { token: account.accessToken })
  const request = page.locator('platen-editor').evaluate(async (element, designId) => {
    const { client } = element as unknown as { client: { designs: { get(id: string): Promise<object> } } }
    await client.designs.get(designId).catch(() => undefined)
  }, id)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await request
  await signIn(page, account)
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.locator('platen-editor').getAttribute('design'), id)
  assert.equal(page.url(), `${url}/designs/${id}`)
})

test('a profile keeps the name and the language, which the next visit uses', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, context } = await startShop(t)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account`)
  await signIn(page, account)
  await page.getByLabel('Your name').fill('Ada Example')
  await page.getByRole('button', { name: /^English/ }).click()
  await page.getByRole('listbox').getByRole('option', { name: 'Deutsch' }).click()
  await button(page, 'Save').click()
  await heading(page, 'Konto').waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  const { body: me } = await service.request('GET', '/me', { token: account.accessToken })
  assert.deepEqual([me.name, me.locale], ['Ada Example', 'de'])
  const another = await context.newPage()
  await another.goto(`${url}/?lang=en`)
  await another.getByText('from €0.15 each').waitFor()
})

test('guests and new accounts get mails in the language of the page', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const page = await open(`${url}/?lang=de`)
  await link(page, 'Mug').click()
  await button(page, 'Jetzt gestalten').click()
  await page.locator('platen-editor').waitFor()
  const guest = await service.db.selectFrom('users').select('locale').where('kind', '=', 'guest').executeTakeFirst()
  assert.equal(guest?.locale, 'de')

  const account = await service.signUp()
  const locale = async () => (await service.request('GET', '/me', { token: account.accessToken })).body.locale
  assert.equal(await locale(), null)
  await page.goto(`${url}/sign-in?lang=de`)
  await page.getByLabel('E-Mail-Adresse').fill(account.email)
  await page.getByLabel('Passwort', { exact: true }).fill(account.password)
  await button(page, 'Anmelden').click()
  await until('the language', async () => (await locale()) === 'de')
})

test('a form with a corrected field is sent by the next click', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t)
  const page = await open(`${url}/register`)
  await page.getByLabel('Email address').fill('ada@example.com')
  const password = page.getByLabel('Password', { exact: true })
  const send = button(page, 'Create an account')
  await password.fill('short')
  await send.click()
  const error = page.locator('.pl-field-error')
  await error.waitFor()
  await password.fill(PASSWORD)
  // A person aims where the button is, and does not follow it.
  const { x, y, width, height } = (await send.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.mouse.move(x + width / 2, y + height - 2)
  await page.mouse.down()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await page.mouse.up()
  await heading(page, 'Read your mail').waitFor()
})
