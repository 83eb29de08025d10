import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startService } from '../harness.ts'
import { noBrowser } from '../lib/browser/browser.ts'
import { openProfiles } from '../lib/browser/shared-browser.ts'

const PAGES = [
  '/',
  '/docs',
  '/docs/reference',
  '/docs/reference/designs',
  '/docs/reference/designs#createDesign',
  '/docs/reference/schemas',
  '/docs/guides/first-design',
  '/docs/states#orders',
  '/docs/events',
  '/docs/api-design',
  '/docs/search?q=design',
  '/problems',
  '/problems/validation_failed',
]

const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 900 } }

/** The members of a page that the functions below use. */
interface InPage {
  document: { documentElement: { scrollWidth: number; clientWidth: number } }
}

/** Collects what a browser reports: errors of the console, violations of the policy, failed and foreign requests. */
function watch(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`foreign: ${request.url()}`)
  })
  return faults
}

for (const [name, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the pages fit a ${name} in ${colorScheme} colours, and the browser reports no error`, async (t) => {
      if (noBrowser !== undefined) return t.skip(noBrowser)
      const { origin } = await startService(t)
      const page = await (await openProfiles(t)).newPage({ viewport, colorScheme })
      const faults = watch(page, origin)
      for (const path of PAGES) {
        await page.goto(`${origin}${path}`, { waitUntil: 'load' })
        const { scrollWidth, clientWidth } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = (globalThis as unknown as InPage).document.documentElement
          return { scrollWidth, clientWidth }
        })
        assert.ok(scrollWidth <= clientWidth, `${path}: ${scrollWidth} px on ${clientWidth} px`)
        await keepScreenshot(page, `${name}-${colorScheme}${path.replaceAll(/\W+/g, '-')}`)
      }
      assert.deepEqual(faults, [])
    })
  }
}

/** Keeps a screenshot if the environment names a folder for them. */
async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['PLATEN_TEST_SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}
