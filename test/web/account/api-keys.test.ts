import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { button, heading, signIn, startShop } from '../../lib/pages/shop.ts'

test('an API key has the chosen permissions, is shown once, and ends when it is revoked', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/api-keys`)
  await signIn(page, account)
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor()
  await button(page, 'New API key').click()
  await page.getByLabel('Name of the key').fill('Printer')
  await button(page, 'Create the key').click()
  await page.getByText('Choose at least one.').waitFor()
  await page.getByText('Read designs').click()
  await button(page, 'Create the key').click()
  const shown = page.getByRole('dialog', { name: 'Your new API key' })
  const key = (await shown.locator('code').textContent()) ?? ''
  const designs = async (method: string) =>
    (await service.request(method, '/designs', { token: key, ...(method === 'GET' ? {} : { body: {} }) })).status
  assert.deepEqual([await designs('GET'), await designs('POST')], [200, 403])

  await button(page, 'I have stored the key').click()
  await shown.waitFor({ state: 'detached' })
  await page.reload()
  const list = page.getByRole('list', { name: 'API keys' })
  await list.getByText('Read designs').waitFor()
  assert.ok(!(await list.textContent())?.includes(key))
  await button(page, 'Revoke “Printer”').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor()
  assert.equal(await designs('GET'), 401)
})

test('a replaced API key leaves its program the chosen time', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const account = await service.signUp()
  const body = { name: 'Printer', permissions: ['designs:read'] }
  const { key: old } = (await service.request('POST', '/api/api-keys', { token: account.accessToken, body })).body
  const page = await open(`${url}/sign-in?next=/account/api-keys`)
  await signIn(page, account)
  await button(page, 'Replace “Printer”').click()
  await page.getByRole('button', { name: /The present key ends/ }).click()
  await page.getByRole('option', { name: 'After one hour' }).click()
  await button(page, 'Replace the key').click()
  const shown = page.getByRole('dialog', { name: 'Your new API key' })
  const key = (await shown.locator('code').textContent()) ?? ''
  assert.notEqual(key, old)
  const statuses = async () =>
    Promise.all([old, key].map(async (token) => (await service.request('GET', '/designs', { token })).status))
  assert.deepEqual(await statuses(), [200, 200])
  service.clock.shift(3_601)
  assert.deepEqual(await statuses(), [401, 200])
})

test('an action that needs a recent sign-in asks for the password, then takes place', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of (403|422)/)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/api-keys`)
  await signIn(page, account)
  await heading(page, 'API keys').waitFor()
  service.clock.shift(601)
  await button(page, 'New API key').click()
  await page.getByLabel('Name of the key').fill('Printer')
  await page.getByText('Read everything').click()
  await button(page, 'Create the key').click()
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('alert').count(), 0)

  await button(page, 'Create the key').click()
  await question.getByLabel('Password').fill('something else entirely')
  await question.getByRole('button', { name: 'Confirm' }).click()
  await question.getByText('The password is wrong.').waitFor()
  await question.getByLabel('Password').fill(account.password)
  await question.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('dialog', { name: 'Your new API key' }).waitFor()
  const { length } = await service.db.selectFrom('api_keys').select('id').execute()
  assert.equal(length, 1)
})
