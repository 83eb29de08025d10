import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import sharp from 'sharp'
import { SHOP_OWNER } from '../../../src/assets/index.ts'
import { noBrowser, stretchTimers } from '../../lib/browser/browser.ts'
import { button, signIn, startShop } from '../../lib/pages/shop.ts'
import {
  editorReady,
  nudge,
  openAgain,
  openPostcard,
  storedLayers,
  textLayer,
  untilStored,
} from '../../lib/pages/stored-layers.ts'
import { until } from '../../lib/until.ts'

const LAYERS = [textLayer('One'), textLayer('Two', { y: 50 })]
const status = (page: Page, kind: string) => page.locator(`.pe-save-status.${kind}`)

async function openShop(t: TestContext, layers: readonly object[] = LAYERS) {
  const shop = await startShop(t)
  const page = await shop.open(shop.url)
  const designId = await openPostcard(page, layers)
  return { ...shop, page, designId, stored: (layer: object) => untilStored(shop, designId, layer) }
}

/** Answers saves with a problem of the service. Returns what ends that. */
async function refuseSaves(page: Page, problem: { status: number; code: string; [member: string]: unknown }) {
  const respond = (route: Route): Promise<void> => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    const more = {
      type: `https://platen.localhost/problems/${problem.code}`,
      title: 'Refused',
      detail: 'Refused',
      requestId: 'a',
    }
    return route.fulfill({
      status: problem.status,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
      body: JSON.stringify({ ...more, ...problem }),
    })
  }
  await page.route('**/v1/designs/*', respond)
  return () => page.unroute('**/v1/designs/*', respond)
}

test('two tabs that change different layers are merged, and a conflict is decided by the customer', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await openShop(t)
  const { page, stored } = shop
  shop.expectErrors(/status of 412/)
  const other = await openAgain(shop, page.url())
  await nudge(page, 'One', 'ArrowRight')
  await stored({ id: 'one', x: 21 })
  await nudge(other, 'Two', 'ArrowRight')
  await other.getByText('The design was also changed elsewhere.').waitFor()
  await stored({ id: 'two', x: 21 })
  await stored({ id: 'one', x: 21 })

  await nudge(page, 'One', 'ArrowRight')
  await stored({ id: 'one', x: 22 })
  await stored({ id: 'two', x: 21 })
  await nudge(other, 'One', 'ArrowDown', 'ArrowLeft')
  const dialog = other.getByRole('dialog', { name: 'Changed in two places' })
  await dialog.waitFor()
  await stored({ id: 'one', x: 22, y: 20 })
  await dialog.getByText('Take theirs').click()
  await button(other, 'Apply and save').click()
  await dialog.waitFor({ state: 'detached' })
  await status(other, 'saved').waitFor()
  await stored({ id: 'one', x: 22, y: 20 })
})

test('undo after a merge keeps what the other tab has saved', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await openShop(t)
  const { page, stored } = shop
  shop.expectErrors(/status of 412/)
  const other = await openAgain(shop, page.url())
  await nudge(other, 'Two', 'ArrowRight')
  await stored({ id: 'two', x: 21 })
  await nudge(page, 'One', 'ArrowRight')
  await page.getByText('The design was also changed elsewhere.').waitFor()
  await stored({ id: 'one', x: 21 })
  await button(page, 'Undo').click()
  await stored({ id: 'one', x: 20 })
  await stored({ id: 'two', x: 21 })
  await button(page, 'Undo').and(page.locator(':disabled')).waitFor()
})

test('work goes on without a network, and is saved when it is back', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, context, stored, expectErrors } = await openShop(t)
  expectErrors(/ERR_INTERNET_DISCONNECTED/)
  await context.setOffline(true)
  await nudge(page, 'One', 'ArrowRight')
  await page
    .getByText('Your changes are kept on this device and are saved as soon as the connection is back.')
    .waitFor()
  await nudge(page, 'Two', 'ArrowRight', 'ArrowRight')
  await status(page, 'offline').waitFor()
  await context.setOffline(false)
  await stored({ id: 'one', x: 21 })
  await stored({ id: 'two', x: 22 })
  await status(page, 'saved').waitFor()
  await page.getByText('No connection to the service.').waitFor({ state: 'detached' })
})

for (const [end, kill] of [
  ['crashed', crash],
  ['was closed', (page: Page) => page.close({ runBeforeUnload: false })],
] as const) {
  test(`changes of a tab that ${end} before they were saved are restored`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const shop = await openShop(t)
    const { page, stored } = shop
    const url = page.url()
    // An editor does not wait long for what an ended tab has left.
    await stretchTimers(shop.context, [500, 2_000])
    shop.expectErrors(/ERR_FAILED/)
    await page.route('**/v1/designs/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    )
    await nudge(page, 'One', 'ArrowRight', 'ArrowRight', 'ArrowRight')
    await page.getByText('Your changes are kept on this device').waitFor()
    await untilJournalHas(page, '"x":23')
    await kill(page)
    assert.equal((await storedLayers(shop, shop.designId)).find(({ id }) => id === 'one')?.x, 20)
    const again = await openAgain(shop, url)
    await again.getByText(/^Restored changes from .* that had not been saved\.$/).waitFor()
    await stored({ id: 'one', x: 23 })
    await again.locator('.pe-save-notices').getByRole('button', { name: 'Undo' }).click()
    await stored({ id: 'one', x: 20 })
  })
}

/** Waits until the browser has stored a change. */
async function untilJournalHas(page: Page, text: string): Promise<void> {
  const entries = `new Promise((resolve, reject) => {
    const opening = indexedDB.open('platen-editor')
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction('journal').objectStore('journal').getAll()
      reading.onerror = () => reject(reading.error)
      reading.onsuccess = () => resolve(JSON.stringify(reading.result))
      reading.transaction.oncomplete = () => opening.result.close()
    }
  })`
  await until(`${text} in the journal`, async () => ((await page.evaluate(entries)) as string).includes(text))
}

async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  session.send('Page.crash').catch(() => undefined)
  await crashed
}

test('a cancelled upload leaves nothing behind, and the next one works', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, service, designId, ...shop } = await openShop(t)
  shop.expectErrors(/ERR_FAILED/)
  const buffer = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#2244cc' } })
    .jpeg()
    .toBuffer()
  const held: Route[] = []
  await page.route('**/v1/assets', (route) => void held.push(route))
  await page.getByRole('button', { name: 'Photos', exact: true }).click()
  const upload = async (name: string): Promise<void> => {
    const chooser = page.waitForEvent('filechooser')
    await button(page, 'Upload photos').click()
    await (await chooser).setFiles({ name, mimeType: 'image/jpeg', buffer })
  }
  await upload('wrong.jpg')
  await button(page, 'Cancel the upload of wrong.jpg').click()
  await button(page, 'Cancel the upload of wrong.jpg').waitFor({ state: 'detached' })
  await page.unroute('**/v1/assets')
  for (const route of held) await route.abort().catch(() => undefined)
  await upload('right.jpg')
  await until('the picture is in the design', async () =>
    (await storedLayers({ service }, designId)).some(({ type }) => type === 'image'),
  )
  // The pictures of the sample products belong to the shop.
  const own = await service.db.selectFrom('assets').select('id').where('owner_id', '!=', SHOP_OWNER).execute()
  assert.equal(own.length, 1)
})

test('a session that ends in the middle of an edit loses nothing', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 401/)
  const account = await shop.service.signUp()
  const page = await shop.open(`${shop.url}/sign-in`)
  await signIn(page, account)
  await page.getByRole('heading', { name: 'My designs' }).waitFor()
  await page.goto(shop.url)
  const designId = await openPostcard(page, LAYERS)
  const ended = await shop.service.request('POST', `${shop.service.origin}/api/auth/sessions/revoke-others`, {
    token: account.accessToken,
  })
  assert.equal(ended.status, 204)
  await nudge(page, 'One', 'ArrowRight')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await signIn(page, account)
  await dialog.waitFor({ state: 'detached' })
  await untilStored(shop, designId, { id: 'one', x: 21 })
  await nudge(page, 'Two', 'ArrowRight')
  await untilStored(shop, designId, { id: 'two', x: 21 })
})

const PASSING = [
  [{ status: 429, code: 'rate_limited' }, 'The service is busy. Your changes are kept on this device'],
  [{ status: 503, code: 'service_unavailable' }, 'The service is busy. Your changes are kept on this device'],
] as const

for (const [problem, words] of PASSING) {
  test(`the customer reads why a save waits after ${problem.status}, and it follows by itself`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const { page, stored, expectErrors } = await openShop(t)
    expectErrors(new RegExp(`status of ${problem.status}`))
    const accept = await refuseSaves(page, problem)
    await nudge(page, 'One', 'ArrowRight')
    await page.getByText(words).waitFor()
    await nudge(page, 'Two', 'ArrowRight')
    await accept()
    await stored({ id: 'one', x: 21 })
    await stored({ id: 'two', x: 21 })
    await page.getByText(words).waitFor({ state: 'detached' })
  })
}

const LASTING = [
  [
    { status: 413, code: 'storage_quota_exceeded', used: 52_428_800, quota: 52_428_800 },
    'Your storage is full (53 of 53 MB). Delete designs or pictures',
  ],
  [{ status: 413, code: 'body_too_large' }, 'The design is too large to be saved.'],
] as const

for (const [problem, words] of LASTING) {
  test(`after ${problem.code}, the customer reads what to do, and saves again`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const { page, stored, expectErrors } = await openShop(t)
    expectErrors(/status of 413/)
    const accept = await refuseSaves(page, problem)
    await nudge(page, 'One', 'ArrowRight')
    await page.getByText(words).waitFor()
    await accept()
    await button(page, 'Try again').click()
    await stored({ id: 'one', x: 21 })
    await page.getByText(words).waitFor({ state: 'detached' })
  })
}

test('a product that is archived meanwhile is named as the reason why the design cannot be finalized', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, service, designId, stored } = await openShop(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const { product_id: productId } = await service.db
    .selectFrom('designs')
    .select('product_id')
    .where('id', '=', designId)
    .executeTakeFirstOrThrow()
  const archived = await service.request('POST', `/products/${productId}/archive`, { token })
  assert.equal(archived.status, 200, archived.text)
  await nudge(page, 'One', 'ArrowRight')
  await page.getByText('This product is no longer offered. Your design is saved, but it cannot be finalized.').waitFor()
  await stored({ id: 'one', x: 21 })
})

const LORA = /\/fonts\/.*lora/i

test('a font that cannot be loaded is named, and its text appears after another attempt', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, context, stored, expectErrors } = await openShop(t, [
    ...LAYERS,
    textLayer('Three', { y: 70, fontFamily: 'Lora' }),
  ])
  expectErrors(/ERR_FAILED/)
  // The page tries again by itself after a second. Here, the button is the only other attempt for a minute.
  await stretchTimers(context, [1_000])
  await page.route(LORA, (route) => route.abort())
  await page.reload()
  await editorReady(page)
  const words = page.getByText('The font Lora could not be loaded')
  await words.waitFor()
  await nudge(page, 'One', 'ArrowRight')
  await stored({ id: 'one', x: 21 })
  await page.unroute(LORA)
  await page.locator('.pe-font-notice').getByRole('button', { name: 'Try again' }).click()
  await words.waitFor({ state: 'detached' })
})
