import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGithub } from '../../fakes/sign-in/github.ts'
import { startGoogle } from '../../fakes/sign-in/google.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

test('Google signs in and confirms, GitHub is linked and unlinked', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const [google, github] = [await startGoogle(t), await startGithub(t)]
  const { open, url, service, expectErrors } = await startShop(t, { env: { ...google.env, ...github.env } })
  expectErrors(/status of 40[39]/)
  const page = await open(url)
  await link(page, 'Mug').click()
  await button(page, 'Design it').click()
  await page.waitForURL(/\/designs\/dsn_/)
  await page.goto(`${url}/sign-in`)
  await button(page, 'Continue with Google').click()
  await page.getByText('Your design is now in your account.').waitFor()
  assert.ok(!page.url().includes('code='))
  const stored = await page.evaluate('[JSON.stringify(sessionStorage), document.cookie]')
  assert.deepEqual(stored, ['{}', ''])

  await page.goto(`${url}/account/security`)
  await heading(page, 'Sign-in and security').waitFor()
  service.clock.shift(601)
  await button(page, 'Link GitHub').click()
  await button(page, 'Confirm with Google').click()
  await page.getByText('Thank you. Go on where you were.').waitFor()
  await button(page, 'Link GitHub').click()
  await page.getByText('The provider is linked.').waitFor()
  await button(page, 'Unlink GitHub').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink', exact: true }).click()
  await page.getByText('GitHub was unlinked.').waitFor()
  await button(page, 'Unlink Google').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink', exact: true }).click()
  await page.getByText('You could no longer sign in without it.').waitFor()
})

test('a return from a provider that this tab did not begin signs nobody in', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const google = await startGoogle(t)
  const { open, url } = await startShop(t, { env: google.env })
  const page = await open(`${url}/sign-in/provider?code=stolen&state=unknown`)
  await page.getByText('This did not work. Start again.').waitFor()
  assert.equal(page.url(), `${url}/sign-in/provider`)
  await link(page, 'Back').click()
  await heading(page, 'Sign in').waitFor()
})
