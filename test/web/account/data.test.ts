import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { button, heading, link, signIn, startDesign, startShop } from '../../lib/pages/shop.ts'

test('a customer downloads everything, and deletes the account', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/`)
  await signIn(page, account)
  const designId = await startDesign(page, 'Mug')
  const other = await open(`${url}/designs`)
  await link(other, /^Mug, /).waitFor()

  await page.goto(`${url}/account/data`)
  const downloads = page.waitForEvent('download')
  await button(page, 'Download').click()
  const saved = await downloads
  assert.equal(saved.suggestedFilename(), 'account.json')
  const data = JSON.parse(readFileSync(await saved.path(), 'utf8'))
  const { body: exported } = await service.request('GET', '/me/export', { token: account.accessToken })
  assert.deepEqual(Object.keys(data).sort(), Object.keys(exported).sort())
  assert.ok(JSON.stringify(data).includes(designId))

  await button(page, 'Delete your account').click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account' })
  const typed = dialog.getByLabel(`Type ${account.email} to confirm`)
  await typed.fill('someone@example.com')
  await button(page, 'Delete for good').click()
  await dialog.getByText('This is not the email address of your account.').waitFor()
  await typed.fill(account.email)
  await button(page, 'Delete for good').click()
  await page.getByText('Your account was deleted.').waitFor()
  assert.equal(page.url(), `${url}/`)
  assert.equal((await service.request('GET', '/me', { token: account.accessToken })).status, 401)
  // The other tab shows nothing of it any more.
  await heading(other, 'My designs').waitFor()
  await other.getByRole('heading', { name: 'No designs yet' }).waitFor()
})
