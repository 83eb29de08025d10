import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { button, heading, link, signIn, startShop } from '../../lib/pages/shop.ts'
import { textedCode } from '../../lib/second-factor.ts'

const PHONE = '+4915112345678'

test('a phone number is added with the code of a message, and a code completes a sign-in', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of 400/)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/security`)
  await signIn(page, account)
  await button(page, 'Add a phone number').click()
  const dialog = page.getByRole('dialog', { name: 'Add a phone number' })
  await dialog.getByLabel('Phone number').fill('0151')
  await button(page, 'Send a code').click()
  await dialog.getByText('Enter the number of a mobile phone with its country code').waitFor()
  await dialog.getByLabel('Phone number').fill(PHONE)
  await button(page, 'Send a code').click()
  const code = page.getByLabel('Code of the text message')
  await code.waitFor()
  await code.fill(await textedCode(service, PHONE))
  await button(page, 'Confirm').click()
  await button(page, 'I have stored the codes').click()
  await page.getByRole('list', { name: 'Text messages' }).getByText(/678$/).waitFor()

  await link(page, 'Profile').click()
  await button(page, 'Sign out').click()
  await link(page, 'Sign in').first().click()
  await signIn(page, account)
  service.clock.shift(61)
  const sent = page.waitForResponse(/mfa\/challenge/)
  await button(page, 'Send a code').click()
  await sent
  await code.fill(await textedCode(service, PHONE))
  await button(page, 'Confirm').click()
  await heading(page, 'My designs').waitFor()
})
