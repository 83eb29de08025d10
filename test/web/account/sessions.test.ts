import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { button, heading, link, signIn, startShop } from '../../lib/pages/shop.ts'

test('a changed password ends the other sessions, and this one goes on', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of 422/)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/security`)
  await signIn(page, account)
  const [current, next] = [page.getByLabel('Current password'), page.getByLabel('New password')]
  await current.fill('something else entirely')
  await next.fill('gravel tango lighthouse')
  await button(page, 'Change the password').click()
  await page.getByText('The password is wrong.').waitFor()
  await current.fill(account.password)
  await button(page, 'Change the password').click()
  await page.getByText('The password was changed. Other devices were signed out.').waitFor()
  assert.equal((await service.request('GET', '/me', { token: account.accessToken })).status, 401)
  await link(page, 'Profile').click()
  await button(page, 'Sign out').click()
  await link(page, 'Sign in').first().click()
  await signIn(page, { email: account.email, password: 'gravel tango lighthouse' })
  await heading(page, 'My designs').waitFor()
})

test('a session elsewhere is ended, then all others, and the activity names it', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const account = await service.signUp()
  const signInAs = async (userAgent: string): Promise<string> => {
    const { email, password } = account
    const headers = { 'user-agent': userAgent }
    const { body } = await service.request('POST', '/api/auth/login', { body: { email, password }, headers })
    return body.accessToken
  }
  const phone = await signInAs('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1')
  const laptop = await signInAs('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  const statusOf = async (token: string) => (await service.request('GET', '/me', { token })).status
  const page = await open(`${url}/sign-in?next=/account/devices`)
  await signIn(page, account)
  const others = page.getByRole('list', { name: 'Other devices' })
  await others.getByText('Firefox on Linux').waitFor()
  await button(page, 'Sign out Safari on iPhone').click()
  await page.getByText('Safari on iPhone was signed out.').waitFor()
  assert.deepEqual([await statusOf(phone), await statusOf(laptop)], [401, 200])
  await button(page, 'Sign out all others').click()
  await page.getByText('You are signed in nowhere else.').waitFor()
  assert.deepEqual([await statusOf(laptop), await statusOf(account.accessToken)], [401, 401])
  await page.getByRole('list', { name: 'This device' }).getByText('Chrome on Linux').waitFor()
  await link(page, 'Activity').click()
  await page.getByRole('list', { name: 'Activity' }).getByText('A device was signed out').first().waitFor()
})
