import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { addAuthenticator } from '../../lib/browser/virtual-authenticator.ts'
import { button, heading, link, type Shop, signIn, startShop } from '../../lib/pages/shop.ts'

/** Opens the security page of a new account in a tab with an authenticator. */
async function openSecurity({ open, url, service }: Shop) {
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/security`)
  const authenticator = await addAuthenticator(page)
  await signIn(page, account)
  await heading(page, 'Sign-in and security').waitFor()
  return { page, authenticator, account }
}

test('a passkey is added, signs in with the button, and is renamed and removed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, authenticator } = await openSecurity(shop)
  await button(page, 'Add a passkey').click()
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await codes.getByRole('listitem').nth(9).waitFor()
  await button(page, 'I have stored the codes').click()
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Chrome on Linux').waitFor()
  assert.equal(await authenticator.count(), 1)

  await link(page, 'Profile').click()
  await button(page, 'Sign out').click()
  await link(page, 'Sign in').first().waitFor()
  // The list of the field would sign in by itself, because the authenticator confirms at once.
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await page.goto(`${shop.url}/sign-in?next=/account/security`)
  await button(page, 'Sign in with a passkey').click()
  await heading(page, 'Sign-in and security').waitFor()

  await button(page, 'Actions for Chrome on Linux').click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('Name of the passkey').fill('My phone')
  await button(page, 'Save').click()
  await button(page, 'Actions for My phone').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const removal = page.getByRole('alertdialog', { name: 'Remove “My phone”?' })
  await removal.getByRole('button', { name: 'Remove' }).click()
  await removal.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Passkeys' }).waitFor({ state: 'detached' })
})

test('the list at the field of the email address signs in with a passkey', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page } = await openSecurity(shop)
  await button(page, 'Add a passkey').click()
  await button(page, 'I have stored the codes').click()
  await link(page, 'Profile').click()
  await button(page, 'Sign out').click()
  // The authenticator chooses its passkey at once, as a customer does in the list.
  await link(page, 'Sign in').first().click()
  await heading(page, 'My designs').waitFor()
})

test('a device that does not recognize the customer says so, and the passkey is also the second factor', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, authenticator, account } = await openSecurity(shop)
  await button(page, 'Add a passkey').click()
  await button(page, 'I have stored the codes').click()
  await link(page, 'Profile').click()
  await button(page, 'Sign out').click()
  await link(page, 'Sign in').first().waitFor()
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await authenticator.setVerified(false)
  await page.goto(`${shop.url}/sign-in`)
  await button(page, 'Sign in with a passkey').click()
  await page.getByText('No passkey was used.').waitFor()
  await authenticator.setVerified(true)
  await signIn(page, account)
  await button(page, 'Use your passkey').click()
  await heading(page, 'My designs').waitFor()
})
