import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { seedSampleCatalogue } from '../../../src/products/index.ts'
import type { TestService } from '../../harness.ts'
import { startOnLocalhost } from '../browser/localhost-service.ts'
import { type Watched, watchedBrowser } from '../browser/watched-page.ts'

export interface Shop extends Watched {
  service: TestService
  /** Scheme, host and port as in the URL bar of the browser. */
  url: string
}

export type ShopOptions = BrowserContextOptions & { env?: Record<string, string> }

/** Starts a service with the sample catalogue, and a browser that watches its pages. */
export async function startShop(t: TestContext, { env = {}, ...options }: ShopOptions = {}): Promise<Shop> {
  // Hooks run in the order in which they were added, so the pages are closed before the service stops.
  const watched = await watchedBrowser(t, options)
  const service = await startOnLocalhost(t, env)
  await seedSampleCatalogue(service.db, service.clock.now(), service.services.storage)
  return { ...watched, service, url: service.config.origin }
}

export const heading = (page: Page, name?: string | RegExp) =>
  page.getByRole('heading', { level: 1, ...(name === undefined ? {} : { name }) })

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

export const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true })

/** Fills in the form of the present page, and waits until the page has left it. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Sign in').click()
}

interface NewAccount {
  email: string
  password: string
}

/** Creates an account from the page of the sign-in. */
export async function register(page: Page, { email, password }: NewAccount): Promise<void> {
  await link(page, 'Create an account').click()
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Create an account').click()
  await heading(page, 'Read your mail').waitFor()
}

/** Confirms the email address of a new account with the newest mail, and signs in. */
export async function confirmAndSignIn(page: Page, service: TestService, account: NewAccount): Promise<void> {
  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  const [, token] = /token=([\w.-]+)/.exec(outbox[0].text) ?? []
  await service.request('POST', '/api/auth/email/verify', { body: { token } })
  await link(page, 'Sign in').last().click()
  await signIn(page, account)
}

/** Opens a product of the catalogue and starts to design it. Returns the id of the design. */
export async function startDesign(page: Page, product: string): Promise<string> {
  await link(page, product).click()
  await heading(page, product).waitFor()
  await button(page, 'Design it').click()
  await page.locator('platen-editor').waitFor()
  const [, id] = /\/designs\/(dsn_\w+)$/.exec(page.url()) ?? []
  assert.ok(id !== undefined, page.url())
  return id
}
