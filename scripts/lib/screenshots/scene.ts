import type { Locator, Page } from 'playwright-core'
import type { Text } from './texts.ts'

export interface SceneData {
  origin: string
  email: string
  password: string
  /** Returns a text of the pages in the language of the pictures. */
  text: Text
  /** An account without designs and orders, with the same password. */
  newcomer: string
  productId: string
  /** A draft with a photo, texts, a form and a code, which has earlier versions. */
  draftId: string
  /** A draft with faults. */
  faultyId: string
  /** A draft with fields for names. */
  fieldsId: string
  finishedId: string
  /** A finished design with placeholders. */
  cardsId: string
  endpointId: string
  /** A test delivery to the endpoint, which does not exist. */
  deliveryId: string
  /** A member of the staff who may only pack. */
  packer: { email: string; password: string }
  /** A batch with an order that can be produced and one on hold. */
  batchId: string
  /** An order for a customer without a sign-in. */
  counterOrderId: string
  /** The ids of orders by their states. */
  orders: Readonly<Record<OrderName, string>>
}

export type OrderName =
  | 'unpaid'
  | 'paid'
  | 'held'
  | 'asked'
  | 'delayed'
  | 'parts'
  | 'shipped'
  | 'delivered'
  | 'cancelled'

/** One page of the shop in one state. */
export interface Scene {
  name: string
  /** Whether the picture shows the whole page. Default: true. */
  isFullPage?: boolean
  show(page: Page, data: SceneData): Promise<void>
}

export const heading = (page: Page, name?: string): Locator =>
  page.getByRole('heading', { level: 1, ...(name === undefined ? {} : { name }) })

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** Waits until the page has its pictures: those below the window are loaded only when the page is scrolled. */
export async function settle(page: Page): Promise<void> {
  await heading(page).waitFor()
  await page.evaluate('document.querySelectorAll("img").forEach((img) => { img.loading = "eager" })')
  await page.waitForLoadState('networkidle')
  await page.locator('.preview:has(canvas[hidden]):not(:has(.pl-icon))').first().waitFor({ state: 'detached' })
}

export async function open(page: Page, { origin }: SceneData, path: string): Promise<void> {
  await page.goto(`${origin}${path}`)
  await settle(page)
}

export async function fillSignIn(page: Page, { text }: SceneData, email: string, password: string): Promise<void> {
  await page.getByLabel(text('common.email')).fill(email)
  await page.getByLabel(text('session.password'), { exact: true }).fill(password)
  await button(page, text('common.signIn')).click()
}

export async function signIn(page: Page, data: SceneData, next = '/designs', email = data.email): Promise<void> {
  await page.goto(`${data.origin}/sign-in?next=${next}`)
  await fillSignIn(page, data, email, data.password)
  await page.waitForURL(`${data.origin}${next}`)
  await settle(page)
}
