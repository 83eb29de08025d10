import type { Page } from 'playwright-core'
import { call, signIn as callSignIn } from '../client.ts'

export interface SceneData {
  origin: string
  email: string
  password: string
  productId: string
  draftId: string
  finishedId: string
}

/** One page of the shop in one state. */
export interface Scene {
  name: string
  /** Whether the picture shows the whole page. Default: true. */
  isFullPage?: boolean
  show(page: Page, data: SceneData): Promise<void>
}

const heading = (page: Page, name?: string | RegExp) => page.getByRole('heading', { level: 1, ...(name && { name }) })

async function open(page: Page, { origin }: SceneData, path: string): Promise<void> {
  await page.goto(`${origin}${path}`)
  await heading(page).waitFor()
  // Pictures below the window are loaded only when the page is scrolled.
  await page.evaluate('document.querySelectorAll("img").forEach((img) => { img.loading = "eager" })')
  await page.waitForLoadState('networkidle')
}

async function signIn(page: Page, data: SceneData, next = '/designs'): Promise<void> {
  await page.goto(`${data.origin}/sign-in?next=${next}`)
  await page.getByLabel('Email address').fill(data.email)
  await page.getByLabel('Password', { exact: true }).fill(data.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${data.origin}${next}`)
  await heading(page).waitFor()
  await page.waitForLoadState('networkidle')
}

async function startDesign(page: Page, data: SceneData): Promise<void> {
  await open(page, data, `/products/${data.productId}`)
  await page.getByRole('button', { name: 'Design it' }).click()
  await page.waitForURL(/\/designs\/dsn_/)
  await heading(page).waitFor()
  await page.waitForLoadState('networkidle')
  // The editor draws in the frames after its last file has arrived.
  await page.locator('platen-editor canvas').first().waitFor()
}

export const SCENES: readonly Scene[] = [
  {
    name: 'catalogue',
    show: async (page, data) => {
      await open(page, data, '/')
      await page.getByRole('heading', { level: 2 }).first().waitFor()
    },
  },
  {
    name: 'nothing-found',
    show: async (page, data) => {
      await page.goto(`${data.origin}/?q=zeppelin`)
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    },
  },
  { name: 'product', show: (page, data) => open(page, data, `/products/${data.productId}`) },
  { name: 'sign-in', show: (page, data) => open(page, data, '/sign-in') },
  {
    name: 'sign-in-refused',
    show: async (page, data) => {
      await open(page, data, '/sign-in')
      await page.getByLabel('Email address').fill('nobody@example.com')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'register', show: (page, data) => open(page, data, '/register') },
  {
    name: 'registered',
    show: async (page, data) => {
      await open(page, data, '/register')
      await page.getByLabel('Email address').fill('new@example.com')
      await page.getByLabel('Password', { exact: true }).fill('a boat on the river')
      await page.getByRole('button', { name: 'Create an account' }).click()
      await heading(page, 'Read your mail').waitFor()
    },
  },
  { name: 'forgot-password', show: (page, data) => open(page, data, '/forgot-password') },
  { name: 'designs-visitor', show: (page, data) => open(page, data, '/designs') },
  { name: 'designs', show: (page, data) => signIn(page, data) },
  {
    name: 'designs-guest',
    show: async (page, data) => {
      await startDesign(page, data)
      await page.getByRole('link', { name: 'Back to my designs' }).click()
      await page.getByRole('heading', { level: 2 }).first().waitFor()
      await page.waitForLoadState('networkidle')
    },
  },
  {
    name: 'design-menu',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data)
      await page.getByRole('button', { name: /Actions for Card/ }).click()
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'rename',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data)
      await page.getByRole('button', { name: /Actions for Card/ }).click()
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'deleted-notice',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data)
      await page.getByRole('button', { name: /Actions for Empty/ }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    },
  },
  { name: 'editor', isFullPage: false, show: startDesign },
  { name: 'finished', show: (page, data) => signIn(page, data, `/designs/${data.finishedId}/finished`) },
  { name: 'account', show: (page, data) => signIn(page, data, '/account') },
  {
    name: 'session-ended',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data)
      const { accessToken: token } = await callSignIn(data.origin, data.email, data.password)
      await call('POST', `${data.origin}/v1/api/auth/sessions/revoke-others`, { token })
      await page.getByRole('link', { name: 'Card of the studio' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'not-found', show: (page, data) => open(page, data, '/products/prd_01h455vb4pex5vsknk084sn02q') },
  {
    name: 'offline',
    isFullPage: false,
    show: async (page, data) => {
      await open(page, data, '/')
      await page.context().setOffline(true)
      await page.getByText('You are offline').waitFor()
    },
  },
]
