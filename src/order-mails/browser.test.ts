import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../test/lib/browser/browser.ts'
import { watchedBrowser } from '../../test/lib/browser/watched-page.ts'
import { ADDRESS } from '../orders/factory.ts'
import { addPreview, type MailShop, startMailShop } from './factory.ts'

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung'.repeat(2)

/** The members of a page that the functions below use. */
interface InPage {
  document: {
    documentElement: { scrollWidth: number; clientWidth: number }
    images: ArrayLike<{ complete: boolean; naturalWidth: number; clientWidth: number }>
    querySelector(selector: string): object
  }
  getComputedStyle(element: object): { backgroundColor: string }
}

/** Causes a mail of every kind, with long words in every text that users write. */
async function causeAll(shop: MailShop, locale: string): Promise<void> {
  const { act, operator } = shop
  const person = await shop.signUp()
  await shop.request('PATCH', '/me', { token: person.token, body: { locale } })
  const designIds = await Promise.all([1, 2].map(() => shop.finalizedDesign({ ownerId: person.userId })))
  for (const id of designIds) await addPreview(shop, id)
  await shop.db
    .updateTable('designs')
    .set({ name: LONG })
    .where('id', '=', designIds[0] ?? '')
    .execute()
  const place = async () => {
    const items = designIds.map((designId) => ({ designId, quantity: 1200 }))
    const body = { items, shippingAddress: { ...ADDRESS, company: LONG } }
    return (await shop.request('POST', '/orders', { token: person.token, body })).body
  }
  const { id, items } = await place()
  await act(operator, id, 'payments', { method: 'manual' })
  await act(operator, id, 'hold', { reason: `Please read this:\n\n${LONG}`, resolution: 'confirmation' })
  await act(operator, id, 'release')
  await act(operator, id, 'start-production')
  const tracking = { carrier: LONG.slice(0, 60), trackingNumber: '00340434161094'.repeat(4) }
  const parts = [{ itemId: items[0].id, quantity: 1200 }]
  const trackingUrl = 'https://parcels.example/00340434161094'
  const first = await act(operator, id, 'shipments', { ...tracking, trackingUrl, items: parts })
  const second = await act(operator, id, 'shipments', { carrier: 'DHL' })
  for (const { id: parcel } of [first, second]) await act(operator, id, `shipments/${parcel}/deliver`)
  await act(operator, id, 'refunds', { reason: LONG })
  const other = await place()
  await act(operator, other.id, 'cancel', { reason: 'The paper is sold out.' })
  await shop.untilIdle()
}

for (const [locale, colorScheme] of [
  ['en', 'light'],
  ['de', 'dark'],
] as const) {
  test(`mails fit a phone in a browser and show their pictures (${locale}, ${colorScheme})`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const shop = await startMailShop(t)
    await causeAll(shop, locale)
    const { origin } = shop.service
    const { open } = await watchedBrowser(t, { viewport: { width: 360, height: 740 }, colorScheme })
    const page = await open(`${origin}/dev/outbox/mails`)
    await requireFit(page)
    const links = page.getByRole('link', { name: 'Show the mail as HTML' })
    const paths = await links.evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href))
    assert.equal(paths.length, 9)
    for (const [index, path] of paths.reverse().entries()) {
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto(path, { waitUntil: 'load' })
      await requireFit(page)
      const { images, background } = await page.evaluate(() => {
        const { document, getComputedStyle } = globalThis as unknown as InPage
        const images = [...Array.from(document.images)].map(({ complete, naturalWidth, clientWidth }) => ({
          isShown: complete && naturalWidth > 0,
          clientWidth,
        }))
        return { images, background: getComputedStyle(document.querySelector('.card')).backgroundColor }
      })
      assert.ok(images.length > 0)
      assert.deepEqual(
        new Set(images.map(({ isShown, clientWidth }) => `${isShown} ${clientWidth}`)),
        new Set(['true 96']),
      )
      assert.equal(background, colorScheme === 'dark' ? 'rgb(31, 34, 43)' : 'rgb(255, 255, 255)')
      await keepScreenshots(page, `${locale}-${index}`)
    }
  })
}

async function requireFit(page: Page): Promise<void> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as InPage).document.documentElement
    return { scrollWidth, clientWidth }
  })
  assert.ok(scrollWidth <= clientWidth, `${page.url()}: ${scrollWidth} px on ${clientWidth} px`)
}

/** Saves screenshots for a developer who looks at mails, if the variable names a folder. */
async function keepScreenshots(page: Page, name: string): Promise<void> {
  const folder = process.env['PLATEN_TEST_SCREENSHOTS']
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  for (const width of [360, 700]) {
    await page.setViewportSize({ width, height: 740 })
    await page.screenshot({ path: join(folder, `mail-${name}-${width}.png`), fullPage: true })
  }
}
