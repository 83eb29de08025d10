import type { Page } from 'playwright-core'
import { call, signIn as callSignIn } from '../../client.ts'
import { button, fillSignIn, heading, open, type Scene, type SceneData, settle, signIn } from '../scene.ts'
import { untilDrawn } from './editor-scenes.ts'

const NOTHING = { version: 1, placements: [] }

/** Opens the menu of a design in the list of designs. */
async function openMenu(page: Page, data: SceneData, name: string): Promise<void> {
  await signIn(page, data)
  await button(page, data.text('shop.actionsOf', { name })).click()
  await page.getByRole('menu').waitFor()
}

async function startDesign(page: Page, data: SceneData): Promise<void> {
  await open(page, data, `/products/${data.productId}`)
  await button(page, data.text('shop.designIt')).click()
  await page.waitForURL(/\/designs\/dsn_/)
  await untilDrawn(page)
}

/** The catalogue, signing in and the designs. */
export const SHOP_SCENES: readonly Scene[] = [
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
      await page.getByRole('heading', { name: data.text('shop.nothingFound') }).waitFor()
    },
  },
  { name: 'product', show: (page, data) => open(page, data, `/products/${data.productId}`) },
  { name: 'sign-in', show: (page, data) => open(page, data, '/sign-in') },
  {
    name: 'sign-in-refused',
    show: async (page, data) => {
      await open(page, data, '/sign-in')
      await fillSignIn(page, data, 'nobody@example.com', 'not the password')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'register', show: (page, data) => open(page, data, '/register') },
  {
    name: 'registered',
    show: async (page, data) => {
      await open(page, data, '/register')
      await page.getByLabel(data.text('common.email')).fill('new@example.com')
      await page.getByLabel(data.text('session.password'), { exact: true }).fill('a boat on the river')
      await button(page, data.text('shop.createAccount')).click()
      await heading(page, data.text('session.readYourMail')).waitFor()
    },
  },
  { name: 'forgot-password', show: (page, data) => open(page, data, '/forgot-password') },
  { name: 'designs-visitor', show: (page, data) => open(page, data, '/designs') },
  { name: 'designs', show: (page, data) => signIn(page, data) },
  { name: 'designs-empty', show: (page, data) => signIn(page, data, '/designs', data.newcomer) },
  {
    name: 'designs-guest',
    show: async (page, data) => {
      await startDesign(page, data)
      await page.getByRole('link', { name: data.text('shop.backToDesigns') }).click()
      await page.getByRole('heading', { level: 2 }).first().waitFor()
      await settle(page)
    },
  },
  { name: 'design-menu', isFullPage: false, show: (page, data) => openMenu(page, data, 'Card of the studio') },
  {
    name: 'rename',
    isFullPage: false,
    show: async (page, data) => {
      await openMenu(page, data, 'Card of the studio')
      await page.getByRole('menuitem', { name: data.text('shop.rename') }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'deleted-notice',
    isFullPage: false,
    show: async (page, data) => {
      const { accessToken: token } = await callSignIn(data.origin, data.email, data.password)
      const { productId, variantId } = (await call('GET', `${data.origin}/v1/designs/${data.draftId}`, { token })).body
      const name = 'Left over'
      const { body: designs } = await call('GET', `${data.origin}/v1/designs?limit=100`, { token })
      for (const design of designs.data) {
        if (design.name === name) await call('DELETE', `${data.origin}/v1/designs/${design.id}`, { token })
      }
      await call('POST', `${data.origin}/v1/designs`, {
        token,
        json: { name, productId, variantId, document: NOTHING },
      })
      await openMenu(page, data, name)
      await page.getByRole('menuitem', { name: data.text('shop.archive') }).click()
      await button(page, data.text('common.undo')).waitFor()
    },
  },
  { name: 'editor-new', isFullPage: false, show: startDesign },
  { name: 'finished', show: (page, data) => signIn(page, data, `/designs/${data.finishedId}/finished`) },
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
  { name: 'problem-page', show: (page, data) => open(page, data, '/problems/validation_failed') },
  {
    name: 'offline',
    isFullPage: false,
    show: async (page, data) => {
      await open(page, data, '/')
      await page.context().setOffline(true)
      await page.getByText(data.text('common.offline')).waitFor()
    },
  },
]
