import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  type Watched,
  watchedBrowser,
} from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, type Shop, signIn, startShop } from '../../lib/pages/shop.ts'
import { enableTotp } from '../../lib/second-factor.ts'

/** Opens the console in the browser of another person, which must be older than the shop, so that it closes first. */
async function openElsewhere(
  { open, expectErrors }: Watched,
  { url }: Shop,
  who: { email: string; password: string },
  path = '',
) {
  // The browser writes what the service refuses to its console.
  expectErrors(/status of 40[13]/)
  return openConsole({ open, url }, who, path)
}

/** Confirms a change in its dialog. */
async function confirm(page: Page, name: string, label = name): Promise<void> {
  const dialog = page.getByRole('dialog', { name, exact: true })
  await dialog.getByRole('button', { name: label, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Chooses a role in its list. */
async function chooseRole(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Role$/ }).click()
  await page.getByRole('option', { name, exact: true }).click()
}

async function newestLink(shop: Shop, path: string): Promise<string> {
  const { body } = await shop.service.request('GET', `${shop.service.origin}/dev/outbox`)
  const found = (body as { text: string }[]).map(({ text }) => new RegExp(`${path}\\?token=[\\w.-]+`).exec(text)?.[0])
  const first = found.find((one) => one !== undefined)
  assert.ok(first !== undefined, path)
  return `${shop.url}${first}`
}

test('an administrator finds a person and changes the role, which decides what the person sees and may do', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const browser = await watchedBrowser(t)
  const shop = await startShop(t)
  const { service } = shop
  const [admin, grace] = [await service.signUp({ role: 'admin' }), await service.signUp()]
  await service.signUp({ role: 'operator' })
  const page = await openConsole(shop, admin, '/people')
  await page.getByLabel('Search people').fill(grace.email)
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
  await expectAccessible(page, 'people')
  await link(page, grace.email).click()
  await heading(page, new RegExp(grace.email)).waitFor()
  await chooseRole(page, 'Packing')
  await button(page, 'Change the role').click()
  await page.getByText(`${grace.email} now has the role “Packing”.`).waitFor()
  await page.getByText('Role or access changed').first().waitFor()
  await expectAccessible(page, 'a person')

  const hers = await openElsewhere(browser, shop, grace, '/people')
  await heading(hers, 'Your role has no access to this page').waitFor()
  await link(hers, 'Orders').waitFor()
  assert.equal(await link(hers, 'People').count(), 0)
  const change = { token: grace.accessToken, body: { role: 'admin' } }
  assert.equal((await service.request('PATCH', `/users/${grace.userId}`, change)).body.code, 'insufficient_role')

  // An administrator cannot lose the own role by mistake.
  await page.goto(`${shop.url}/console/people/${admin.userId}`)
  await page.getByText('Another administrator can change your role.').waitFor()
  assert.equal(await button(page, 'Change the role').count(), 0)
  assert.equal(await button(page, 'Disable the account').count(), 0)
})

test('two administrators restore the account of a person who has lost the second factor', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const browsers = [await watchedBrowser(t), await watchedBrowser(t)] as const
  const shop = await startShop(t)
  const { service } = shop
  const owner = await service.signUp({ role: 'operator' })
  await enableTotp(service, owner)
  const [first, second] = [await service.signUp({ role: 'admin' }), await service.signUp({ role: 'admin' })]
  const page = await openConsole(shop, first, `/people/${owner.userId}`)
  await page.getByText('Authenticator app').waitFor()
  await button(page, 'The user has lost them').click()
  await expectAccessible(page, 'the request to remove second factors')
  await confirm(page, 'The user has lost them', 'Request the removal')
  await page.getByText('Another administrator must confirm.', { exact: true }).waitFor()
  assert.equal(await button(page, 'Confirm the removal').count(), 0)

  const others = await openElsewhere(browsers[0], shop, second, '/people')
  await link(others, /^Lost second factors/).click()
  await heading(others, 'Lost second factors').waitFor()
  await others.getByRole('row', { name: new RegExp(owner.email) }).waitFor()
  await expectAccessible(others, 'lost second factors')
  await button(others, 'Confirm the removal').click()
  await confirm(others, 'Confirm the removal', 'Remove the second factors')
  await others.getByText('Removed', { exact: true }).waitFor()

  // The password alone opens the console now.
  const restored = await openElsewhere(browsers[1], shop, owner)
  await link(restored, 'Orders').waitFor()
})

test('an invited person gets the role, and is out as soon as the account is disabled', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, expectErrors } = await watchedBrowser(t)
  const shop = await startShop(t, { viewport: { width: 360, height: 740 } })
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/people')
  await heading(page, 'People').waitFor()
  await page.keyboard.press('i')
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  const email = 'hedy@shop.example.com'
  await dialog.getByLabel('Email address').fill(email)
  await chooseRole(page, 'Read only')
  await dialog.getByRole('button', { name: 'Send the invitation' }).click()
  await dialog.waitFor({ state: 'detached' })
  await link(page, 'Invitations').click()
  await page.getByRole('row', { name: /hedy@shop.example.com.*Open/ }).waitFor()
  await expectNoSidewaysScroll(page, 'invitations')
  await expectAccessible(page, 'invitations')

  // The browser writes the refused requests of the disabled person to its console.
  expectErrors(/status of 401/)
  const hers = await open(await newestLink(shop, '/accept-invitation'))
  const password = 'a quiet lake at dusk'
  await hers.getByLabel('Password', { exact: true }).fill(password)
  await button(hers, 'Accept the invitation').click()
  await link(hers, 'Sign in').last().click()
  await signIn(hers, { email, password })
  await link(hers, 'Account').waitFor()
  await hers.goto(`${shop.url}/console/orders`)
  await heading(hers, 'Orders').waitFor()

  await link(page, 'Everyone').click()
  await link(page, email).click()
  await button(page, 'Disable the account').click()
  await confirm(page, 'Disable the account')
  await page.getByText('The user cannot sign in.').waitFor()
  await expectNoSidewaysScroll(page, 'a disabled person')
  await hers.goto(`${shop.url}/console/orders`)
  await heading(hers, 'Sign in to the console').waitFor()
})
