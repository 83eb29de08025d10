import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { noBrowser } from '../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../lib/browser/watched-page.ts'
import { button, heading, link, type Shop, startDesign, startShop } from '../lib/pages/shop.ts'

const LORA = join(dirname(createRequire(import.meta.url).resolve('@fontsource/lora/metadata.json')), 'files')

async function start(t: TestContext, env: Record<string, string>, options: object = {}): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-look-'))
  t.after(() => rm(folder, { recursive: true }))
  const table =
    '\n\n| Purpose of processing | Legal basis | Storage period |\n|---|---|---|\n| Order | Contract | Ten years |\n'
  await writeFile(
    join(folder, 'privacy.md'),
    `# Privacy\n\nWe store little.${table}\n## Rights\n\n- access\n- deletion`,
  )
  await writeFile(join(folder, 'privacy.de.md'), '# Datenschutz\n\nWir speichern wenig.')
  const logo = join(folder, 'logo.png')
  await sharp({ create: { width: 480, height: 120, channels: 3, background: '#c8322b' } })
    .png()
    .toFile(logo)
  const links = 'Contact|mailto:a@shop.example, A very long name of a link in the footer|https://shop.example'
  const own = { PLATEN_SHOP_PAGES_DIR: folder, PLATEN_SHOP_LOGO: logo, PLATEN_SHOP_LINKS: links }
  return startShop(t, { ...options, env: { ...own, ...env } })
}

/** Visits pages with all kinds of controls. */
async function visit({ open, url }: Shop, look: (page: Page, state: string) => Promise<void>): Promise<void> {
  const page = await open(url)
  await link(page, 'Mug').waitFor()
  await look(page, 'catalogue')
  await link(page, 'T-shirt').click()
  await button(page, 'Design it').waitFor()
  await look(page, 'product')
  for (const path of ['/register', '/account', '/pages/privacy', '/pages/none', '/problems/validation_failed']) {
    await page.goto(url + path)
    await heading(page).waitFor()
    await look(page, path)
  }
  await page.goto(url)
  await startDesign(page, 'Mug')
  await look(page, 'editor')
}

// The colours are hard to combine: the first has little contrast to light pages, the second to dark ones.
for (const [theme, color] of [
  ['paper', '#ffe600'],
  ['ink', '#14143c'],
] as const) {
  test(`theme ${theme} with the colour ${color}: axe finds nothing, and nothing is too wide`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const env = { PLATEN_SHOP_THEME: theme, PLATEN_SHOP_COLOR: color }
    const shop = await start(t, env, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
    // The browser writes the missing page to its console.
    shop.expectErrors(/status of 404/)
    await visit(shop, async (page, state) => {
      await expectNoSidewaysScroll(page, state)
      await expectAccessible(page, `${theme}, ${state}`)
    })
  })
}

test('a theme without a colour of the shop is accessible', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await start(t, { PLATEN_SHOP_THEME: 'ink' })
  shop.expectErrors(/status of 404/)
  await visit(shop, expectAccessible)
})

const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(element: unknown): Record<string, string>
      }
      return getComputedStyle(element)[name] ?? ''
    }, property)

test('the theme, the font and the logo are there with the first drawing, and reach the editor', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const font = join(LORA, 'lora-latin-400-normal.woff2')
  const shop = await start(t, { PLATEN_SHOP_THEME: 'ink', PLATEN_SHOP_COLOR: '#c8322b', PLATEN_SHOP_FONT: font })
  const page = await shop.open(shop.url)
  const sheets = await page.evaluate(
    "[...document.querySelectorAll('link[rel=stylesheet]')].map((link) => [new URL(link.href).pathname, link.closest('head') !== null])",
  )
  assert.match(JSON.stringify(sheets), /^\[\["\/static\/[^"]+",true\],\["\/theme-[^"]+",true\]\]$/)
  assert.match(await styleOf(page, 'body', 'fontFamily'), /^"?Shop Text"?, Inter/)
  await page.waitForFunction('document.fonts.check(\'16px "Shop Text"\')')
  const logo = page.locator('header').getByRole('img', { name: 'Platen' })
  await logo.waitFor()
  const { width, height } = (await logo.boundingBox()) ?? {}
  assert.deepEqual([width, height], [160, 40])
  await startDesign(page, 'Mug')
  await button(page, 'Finalize').waitFor()
  assert.equal(await styleOf(page, 'platen-editor .pl-button.primary', 'backgroundColor'), 'rgb(200, 50, 43)')
  assert.equal(await styleOf(page, 'platen-editor .pl-button.primary', 'borderRadius'), '0px')
})

test('the footer has the links of the shop in the language of the customer', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await start(t, {})
  const page = await open(url)
  await page.getByLabel('Language').selectOption('de')
  assert.equal(await link(page, 'Contact').getAttribute('href'), 'mailto:a@shop.example')
  await link(page, 'Datenschutz').click()
  await heading(page, 'Datenschutz').waitFor()
  await link(page, 'Meine Gestaltungen').click()
  await heading(page, 'Meine Gestaltungen').waitFor()
})
