import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { noBrowser } from '../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../lib/browser/watched-page.ts'
import { button, heading, link, type Shop, signIn, startDesign, startShop } from '../lib/pages/shop.ts'
import { until } from '../lib/until.ts'

/** Visits the pages of the shop in their states. */
async function visitStates(shop: Shop, look: (page: Page, state: string) => Promise<void>): Promise<void> {
  const { open, url, service } = shop
  const page = await open(url)
  const at = async (path: string, state = path, ready = heading(page)): Promise<void> => {
    await page.goto(`${url}${path}`)
    await ready.waitFor()
    await look(page, state)
  }
  await at('/', 'catalogue', link(page, 'Mug'))
  await at('/?q=zeppelin', 'nothing found', page.getByRole('heading', { name: 'Nothing found' }))
  for (const path of ['/sign-in', '/register', '/forgot-password', '/designs']) await at(path)
  await at('/products/prd_01h455vb4pex5vsknk084sn02q', 'missing product', heading(page, 'Product not found'))
  await signInRefused(page, url, look)

  await page.goto(url)
  await link(page, 'T-shirt').click()
  await heading(page, 'T-shirt').waitFor()
  await look(page, 'product')
  await page.goto(url)
  const designId = await startDesign(page, 'Mug')
  await look(page, 'editor')
  await at('/designs', 'designs of a guest', link(page, /^Mug/))
  await at('/account', 'account of a guest')
  await button(page, /^Sign in/)
    .or(link(page, 'Sign in'))
    .first()
    .click()
  await signIn(page, await service.signUp())
  await link(page, /^Mug/).waitFor()
  await look(page, 'designs, with a notice')
  await button(page, /^Actions for/).click()
  await page.getByRole('menu').waitFor()
  await look(page, 'menu of a design')
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('dialog', { name: 'Rename' }).waitFor()
  await look(page, 'rename')
  await at('/account', 'account')
  await finalize(page, url, designId)
  await look(page, 'finished')
}

async function signInRefused(page: Page, url: string, look: (page: Page, state: string) => Promise<void>) {
  await page.goto(`${url}/sign-in`)
  await signIn(page, { email: 'nobody@example.com', password: 'not the password' })
  await page.getByRole('alert').waitFor()
  await look(page, 'refused sign-in')
}

async function finalize(page: Page, url: string, designId: string): Promise<void> {
  await page.goto(`${url}/designs/${designId}`)
  await page.locator('platen-editor').waitFor()
  await page.locator('platen-editor').evaluate(async (element, id) => {
    const { client } = element as unknown as {
      client: { designs: Record<'change' | 'finalize', (id: string, body?: object) => Promise<object>> }
    }
    const layer = { id: 'a', type: 'shape', shape: 'rect', x: -3, y: -3, width: 206, height: 96, fill: '#2244CC' }
    await client.designs.change(id, {
      document: { version: 1, placements: [{ printAreaId: 'wrap', layers: [layer] }] },
    })
    await client.designs.finalize(id)
    element.dispatchEvent(new Event('finalized'))
  }, designId)
  await page.getByRole('img', { name: /: Wrap$/ }).waitFor()
}

async function start(t: TestContext, options: Parameters<typeof startShop>[1] = {}): Promise<Shop> {
  const shop = await startShop(t, options)
  // The browser writes the refused sign-in and the missing product to its console.
  shop.expectErrors(/status of 40[14]/)
  return shop
}

test('axe finds nothing on any page, in light and dark', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  await visitStates(await start(t), expectAccessible)
})

test('no page scrolls sideways on a window of 360 pixels', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await start(t, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  await visitStates(shop, expectNoSidewaysScroll)
})

test('the keyboard alone leads from the catalogue to a design, and the focus follows the pages', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t)
  const page = await open(url)
  await link(page, 'Mug').waitFor()
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>
  const tabTo = async (name: string): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press('Tab')
      if ((await focused()).trim() === name) return
    }
    assert.fail(`the Tab key does not reach "${name}"`)
  }
  await tabTo('Skip to content')
  await page.keyboard.press('Enter')
  await tabTo('Mug')
  await page.keyboard.press('Enter')
  await heading(page, 'Mug').waitFor()
  await page.waitForFunction('document.activeElement.tagName === "H1"')
  assert.equal(await focused(), 'Mug')
  assert.match(await page.title(), /^Mug – /)
  await tabTo('Design it')
  await page.keyboard.press('Space')
  await page.locator('platen-editor').waitFor()
})

test('the first page needs less than 130 kB of script', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { context, url } = await startShop(t)
  const page = await context.newPage()
  const paths = new Set<string>()
  const pending = new Set<Request>()
  page.on('request', (request) => {
    pending.add(request)
    if (request.resourceType() === 'script') paths.add(request.url())
  })
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  await page.goto(url)
  await link(page, 'Mug').waitFor()
  // A script that has arrived may request others.
  await until('the end of the requests', async () => {
    const before = paths.size
    if (pending.size > 0) return false
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))')
    return pending.size === 0 && paths.size === before
  })
  let bytes = 0
  for (const path of paths) {
    const { headers } = await context.request
      .get(path, { headers: { 'accept-encoding': 'gzip' } })
      .then((answer) => ({ headers: answer.headers() }))
    assert.equal(headers['content-encoding'], 'gzip', path)
    bytes += Number(headers['content-length'])
  }
  t.diagnostic(`${bytes} bytes in ${paths.size} files`)
  assert.ok(bytes > 0 && bytes < 130_000, `${bytes} bytes`)
})

test('the shop is usable from right to left in another language', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t, { viewport: { width: 360, height: 740 } })
  const page = await open(`${url}/?lang=de`)
  await page.getByText('Produkt wählen.').waitFor()
  await page.getByText('ab 0,15 € pro Stück').waitFor()
  await page.evaluate('document.documentElement.dir = "rtl"')
  await expectNoSidewaysScroll(page, 'catalogue from right to left')
})

test('a browser with a language that Intl does not know shows the shop', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { context, open, url } = await startShop(t)
  await context.addInitScript("Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] })")
  await heading(await open(url)).waitFor()
})
