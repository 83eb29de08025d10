import { execFile } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContext } from 'playwright-core'
import { launchBrowser } from '../../test/lib/browser/browser.ts'
import { quantile } from '../lib/load.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'
import {
  createPostcard,
  editorReady,
  mainThreadMs,
  middleOfStage,
  openDesign,
  readFrames,
  readKeystrokes,
  recordFrames,
  recordKeystrokes,
} from './editor-page.ts'

const LAYERS = 200
const DRAG_STEPS = 240
const LOADS = 5
const BUILD = join(import.meta.dirname, '../../scripts/build-web.ts')

/**
 * Measures the editor in a headless Chromium without a graphics processor: dragging one of 200 layers, typing into a
 * paragraph, opening a design and pages of the shop again, and the sizes of scripts. The load average of the computer is beside each time,
 * because the browser needs several processors.
 */
export async function benchEditor({ service }: Subject): Promise<void> {
  await promisify(execFile)(process.execPath, [BUILD])
  const ends: (() => unknown)[] = []
  try {
    const browser = await launchBrowser({ after: (end: unknown) => ends.push(end as () => unknown) })
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await benchSizes(context, service.origin)
    await benchDrag(context, service.origin)
    await benchTyping(context, service.origin)
    await benchOpening(context, service.origin)
    await benchShop(context, service.origin)
  } finally {
    for (const end of ends) await end()
  }
}

async function benchDrag(context: BrowserContext, origin: string): Promise<void> {
  const page = await openDesign(context, await postcard(context, origin, manyLayers()))
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  const { x, y } = await middleOfStage(page)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 20, y + 20, { steps: 20 })
  const before = await mainThreadMs(session)
  await recordFrames(page)
  for (let step = 0; step < DRAG_STEPS; step += 1) {
    const angle = step / 12
    await page.mouse.move(x + 120 * Math.cos(angle), y + 90 * Math.sin(angle))
  }
  const frames = (await readFrames(page)).sort((a, b) => a - b)
  const worked = (await mainThreadMs(session)) - before
  await page.mouse.up()
  await page.close()
  const details = { p50Ms: quantile(frames, 0.5), frames: frames.length, mainThreadMsPerFrame: worked / frames.length }
  reportMs('time between frames while one of 200 layers is dragged (p95)', quantile(frames, 0.95), 16.7, details)
}

async function benchTyping(context: BrowserContext, origin: string): Promise<void> {
  const words = 'The quick brown fox jumps over the lazy dog while the band plays on. '
  const box = { x: 4, y: 4, width: 140, height: 97 }
  const layer = { id: 'a', type: 'text', ...box, text: words.repeat(9).trim(), fontFamily: 'Inter', fontSizePt: 14 }
  const page = await openDesign(context, await postcard(context, origin, [layer]))
  const { x, y } = await middleOfStage(page)
  await page.mouse.dblclick(x, y)
  await page.getByRole('textbox').last().waitFor()
  await page.keyboard.type('warm up the fonts ', { delay: 60 })
  await recordKeystrokes(page)
  await page.keyboard.type('a text of some words in the middle of a paragraph, typed at the pace of a person ', {
    delay: 60,
  })
  const times = (await readKeystrokes(page)).sort((a, b) => a - b)
  await page.close()
  const details = { p50Ms: quantile(times, 0.5), keystrokes: times.length }
  reportMs('keystroke to paint in a paragraph (p95)', quantile(times, 0.95), 50, details)
}

async function benchOpening(context: BrowserContext, origin: string): Promise<void> {
  await benchLoads(context, {
    figure: 'until the editor shows a known design with 200 layers',
    url: await postcard(context, origin, manyLayers()),
    usable: hasButton("document.querySelector('platen-editor')?.shadowRoot", 'Finalize'),
    limitMs: 1_500,
  })
}

/** The program replaces what the service has rendered, and adds what customers operate. */
async function benchShop(context: BrowserContext, origin: string): Promise<void> {
  const catalogue = {
    url: origin,
    usable: `document.querySelector('#app header a[href="/cart"]') !== null`,
  }
  await benchLoads(context, { figure: 'until the known first page is usable', ...catalogue, limitMs: 1_000 })
  const page = await context.newPage()
  await page.goto(origin)
  const path = await page.getByRole('link', { name: 'A6 postcard', exact: true }).getAttribute('href')
  await page.close()
  const product = {
    url: new URL(path ?? '', origin).href,
    usable: hasButton("document.querySelector('#app')", 'Design it'),
  }
  await benchLoads(context, { figure: 'until a known product is usable', ...product, limitMs: 1_000 })
}

interface Load {
  figure: string
  url: string
  /** An expression that is true once the page is usable. */
  usable: string
  limitMs: number
}

const hasButton = (root: string, name: string): string =>
  `[...(${root}?.querySelectorAll('button') ?? [])].some(({ textContent }) => textContent.trim() === '${name}')`

/** Returns the time of the second frame after the expression has become true. */
const untilPainted = (expression: string): string => `new Promise((resolve) => {
  const look = () => {
    if (${expression}) requestAnimationFrame(() => requestAnimationFrame(resolve))
    else requestAnimationFrame(look)
  }
  look()
})`

/**
 * Opens a page with everything in the cache of the browser. Measures from the navigation to the second frame. The page
 * checks at each frame whether it is usable: locators of Playwright check at intervals of up to 500 ms.
 */
async function benchLoads(context: BrowserContext, { figure, url, usable, limitMs }: Load): Promise<void> {
  const times: number[] = []
  for (let load = -1; load < LOADS; load += 1) {
    const page = await context.newPage()
    await page.goto(url)
    const readyMs = (await page.evaluate(untilPainted(usable))) as number
    if (load >= 0) times.push(readyMs)
    await page.close()
  }
  times.sort((a, b) => a - b)
  reportMs(figure, quantile(times, 0.5), limitMs, { slowestMs: times.at(-1) })
}

async function benchSizes(context: BrowserContext, origin: string): Promise<void> {
  const first = await scriptsOf(context, origin)
  reportKb('scripts of the first page, gzipped', first, 130)
  const url = await postcard(context, origin, [])
  const all = await scriptsOf(context, url)
  const isShaper = ({ text }: Script): boolean => text.includes('hb_buffer_create')
  reportKb(
    'scripts of the editor without the shaper, gzipped',
    all.filter((script) => !isShaper(script)),
    350,
  )
  reportKb('the shaper, gzipped', all.filter(isShaper), 350)
}

interface Script {
  text: string
  gzippedBytes: number
}

async function scriptsOf(context: BrowserContext, url: string): Promise<Script[]> {
  const page = await context.newPage()
  const urls = new Set<string>()
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') urls.add(response.url())
  })
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (url.includes('/designs/')) await editorReady(page)
  await page.waitForLoadState('networkidle')
  await page.close()
  return Promise.all(
    [...urls].map(async (script) => {
      const response = await fetch(script, { headers: { 'accept-encoding': 'gzip' } })
      return { text: await response.text(), gzippedBytes: Number(response.headers.get('content-length')) }
    }),
  )
}

async function postcard(context: BrowserContext, origin: string, layers: readonly object[]): Promise<string> {
  const page = await context.newPage()
  const url = await createPostcard(page, origin, layers)
  await page.close()
  return url
}

/** Texts in a grid with one above them in the middle, which a drag takes. */
function manyLayers(): object[] {
  const box = { width: 13, height: 4 }
  const style = { fontFamily: 'Inter', fontSizePt: 6 }
  const grid = Array.from({ length: LAYERS - 1 }, (_, i) => {
    const at = { x: 4 + (i % 10) * 14, y: 4 + Math.floor(i / 10) * 4.8 }
    return { id: `layer-${i}`, type: 'text', ...box, ...at, text: `Label ${i}`, ...style }
  })
  return [...grid, { id: 'top', type: 'shape', shape: 'rect', x: 54, y: 40, width: 40, height: 25, fill: '#2244cc' }]
}

function reportMs(figure: string, value: number, limit: number, details: object): void {
  const aim = `at most ${limit} ms`
  // Browsers state times in steps of 0.1 ms.
  const reached = Math.round(value * 10) / 10 <= limit
  report({
    figure,
    value,
    limit,
    unit: 'ms',
    ratio: value / limit,
    aim,
    reached,
    ...details,
    loadAverage: loadavg()[0],
  })
}

function reportKb(figure: string, scripts: readonly Script[], limit: number): void {
  const value = scripts.reduce((sum, { gzippedBytes }) => sum + gzippedBytes, 0) / 1_000
  const aim = `at most ${limit} kB`
  report({
    figure,
    value,
    limit,
    unit: 'kB',
    ratio: value / limit,
    aim,
    reached: value <= limit,
    files: scripts.length,
  })
}
