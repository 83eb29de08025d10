import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { button, heading, link, signIn, startShop } from '../../lib/pages/shop.ts'
import { alignToStep, totpCode } from '../../lib/second-factor.ts'

/** Reads the share of black pixels of a canvas, which shows whether something was drawn. */
function blackShare(page: Page, name: string): Promise<number> {
  return page.getByRole('img', { name }).evaluate((element) => {
    const canvas = element as unknown as {
      width: number
      height: number
      getContext(kind: '2d'): { getImageData(...area: number[]): { data: Uint8ClampedArray } }
    }
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return data.filter((value, index) => index % 4 === 0 && value < 128).length / (data.length / 4)
  })
}

test('an authenticator app is set up with its key, and both its codes and a recovery code sign in', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of 422/)
  alignToStep(service.clock)
  const account = await service.signUp()
  const page = await open(`${url}/sign-in?next=/account/security`)
  await signIn(page, account)
  await button(page, 'Set up the app').click()
  const dialog = page.getByRole('dialog', { name: 'Set up the app' })
  const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const share = await blackShare(page, 'QR code for the authenticator app')
  assert.ok(share > 0.2 && share < 0.6, `${share}`)
  const code = dialog.getByLabel('Code of the authenticator app')
  await code.fill('000000')
  await button(page, 'Confirm').click()
  await dialog.getByText('This code is wrong or was used already.').waitFor()
  // The code must not become older than accepted before it arrives.
  alignToStep(service.clock)
  await code.fill(totpCode(secret, service.clock, -1))
  await button(page, 'Confirm').click()
  const codes = page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('listitem')
  await codes.nth(9).waitFor()
  const [recoveryCode = ''] = await codes.allTextContents()
  await button(page, 'I have stored the codes').click()
  await button(page, 'Remove the authenticator app').waitFor()

  const signInAgain = async (): Promise<void> => {
    await link(page, 'Account').click()
    await button(page, 'Sign out').click()
    await link(page, 'Sign in').first().click()
    await signIn(page, account)
  }
  await signInAgain()
  await page.getByLabel('Code of the authenticator app').fill(totpCode(secret, service.clock))
  await button(page, 'Confirm').click()
  await heading(page, 'My designs').waitFor()
  await signInAgain()
  await button(page, 'Recovery code instead').click()
  await page.getByLabel('Recovery code').fill(recoveryCode)
  await button(page, 'Confirm').click()
  await heading(page, 'My designs').waitFor()
})
