import { availableParallelism } from 'node:os'
import type { Page } from 'playwright-core'
import { call } from '../../scripts/lib/client.ts'
import { launchBrowser } from '../../test/lib/browser/browser.ts'
import { repeat } from '../lib/load.ts'
import { savePostcards } from '../lib/postcards.ts'
import { processorMs } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'
import { servePostcards } from './postcard-page.ts'

const SECONDS = 8
/** The numbers of concurrent pages to try. */
const PAGES = [1, 2, 4]
/** The longer side of a preview in pixels. Finalization draws previews of this size. */
const PREVIEW_PX = 1200
const PIXELS_WIDE = (154 / 25.4) * 96

/**
 * Compares finalizing postcards over HTTP with a warm headless Chromium that prints the same postcards to PDF and takes
 * a screenshot of each side. Every postcard differs from the others. Chromium gets the best conditions: one browser,
 * open pages, cached fonts, a local server, and the number of concurrent pages at which it is fastest.
 */
export async function benchChromium(subject: Subject): Promise<void> {
  const chromium = await printRates(subject)
  const ours = await finalizeRate(subject)
  const best = chromium.reduce((fastest, rate) => (rate.perSecond > fastest.perSecond ? rate : fastest))
  const ratio = ours.perSecond / best.perSecond
  report({
    figure: 'finalize a two-sided A6 postcard, compared with Chromium',
    value: ours.perSecond,
    limit: best.perSecond,
    unit: 'designs/s',
    ratio,
    aim: 'at least 10',
    reached: ratio >= 10,
    // Processor time does not depend on other load, so it can be compared even on a busy computer.
    processorMs: ours.processorMs,
    limitProcessorMs: best.processorMs,
    chromiumByPages: chromium.map(({ perSecond }, index) => `${PAGES[index]}: ${perSecond.toFixed(2)}`).join(', '),
  })
}

interface Rate {
  perSecond: number
  /** The processor time that all processes together use for one design. */
  processorMs: number
}

async function measure(work: () => Promise<unknown>, concurrency: number, seconds: number): Promise<Rate> {
  const before = await processorMs(process.pid)
  const { perSecond, sortedMs } = await repeat(work, { concurrency, seconds })
  return { perSecond, processorMs: ((await processorMs(process.pid)) - before) / sortedMs.length }
}

async function finalizeRate(subject: Subject): Promise<Rate> {
  const { base, token } = subject
  const concurrency = availableParallelism()
  const ids = await savePostcards(subject, 40 * SECONDS * concurrency)
  const finalize = async () => {
    const id = ids.pop()
    if (id === undefined) throw new Error('the saved designs did not last for the measurement')
    await call('POST', `${base}/designs/${id}/finalize`, { token })
  }
  for (let warm = 0; warm < 4; warm += 1) await finalize()
  return measure(finalize, concurrency, SECONDS)
}

/** Measures how many postcards Chromium prints per second, for each number of pages. */
async function printRates({ base, token, designId }: Subject): Promise<Rate[]> {
  const { body: design } = await call('GET', `${base}/designs/${designId}`, { token })
  const postcards = await servePostcards(design.document)
  const ends: (() => unknown)[] = [postcards.close]
  try {
    const browser = await launchBrowser({ after: (end: unknown) => ends.push(end as () => unknown) })
    // All pages have the same context, so that they share a cache.
    const context = await browser.newContext({
      deviceScaleFactor: PREVIEW_PX / PIXELS_WIDE,
      viewport: { width: 600, height: 850 },
    })
    const rates: Rate[] = []
    for (const count of PAGES) {
      const pages = await Promise.all(Array.from({ length: count }, () => context.newPage()))
      const print = async () => {
        const page = pages.pop()
        if (page === undefined) throw new Error('more callers than pages')
        await printPostcard(page, postcards.origin)
        pages.push(page)
      }
      await repeat(print, { concurrency: count, seconds: 1 })
      rates.push(await measure(print, count, SECONDS / 2))
      await Promise.all(pages.map((page) => page.close()))
    }
    return rates
  } finally {
    for (const end of ends) await end()
  }
}

let printed = 0

async function printPostcard(page: Page, origin: string): Promise<void> {
  printed += 1
  await page.goto(`${origin}/?n=${printed}`, { waitUntil: 'load' })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  await page.pdf({ preferCSSPageSize: true, printBackground: true })
  for (const side of await page.locator('section').all()) await side.screenshot({ type: 'png' })
}
