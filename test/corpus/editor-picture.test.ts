import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { type PrintArea, PT_PER_MM } from '../../src/drawing/index.ts'
import { readCanvasImage } from '../../src/rendering/images/canvas-image.ts'
import { createRenderer } from '../../src/rendering/index.ts'
import { listFontFiles } from '../../src/rendering/installed-fonts/installed-fonts.ts'
import { noBrowser } from '../lib/browser/browser.ts'
import { buildModules, serveUnderPolicy } from '../lib/browser/built-modules.ts'
import { openProfiles } from '../lib/browser/shared-browser.ts'
import { type OpenPdf, openPdf, type Raster } from '../lib/pdfium.ts'
import { type CorpusEntry, loadCorpus } from './corpus.ts'
import { cutToEllipse, drawInto, readPrintFile } from './draw-corpus.ts'

/**
 * The resolution of the comparison: that of print, or less for a large sheet, such as 150 dpi for A3. Chromium places
 * letters at quarters of a pixel, so the share of pixels that differ falls with the resolution.
 */
const DPI = 300
const MOST_PIXELS = 4_400_000

function resolution({ widthMm, heightMm }: PrintArea): number {
  return Math.min(DPI / 25.4, Math.sqrt(MOST_PIXELS / (widthMm * heightMm)))
}
const ENGINE = fileURLToPath(new URL('../../packages/editor/src/engine/engine.ts', import.meta.url))

/** What the page draws: one print area of a design. */
interface Sheet {
  document: CorpusEntry['job']['document']
  data?: CorpusEntry['job']['data']
  printArea: PrintArea
  pxPerMm: number
  widthPx: number
  heightPx: number
  images: Record<string, { widthPx: number; heightPx: number }>
}

test('the picture in the editor equals the print file', { skip: noBrowser, timeout: 300_000 }, async (t) => {
  const corpus = await loadCorpus()
  const { page, files } = await openEnginePage(t)
  const renderer = createRenderer({ log: { warn: () => {} } })
  const dir = await mkdtemp(join(tmpdir(), 'platen-pictures-'))
  t.after(async () => {
    await renderer.close()
    await rm(dir, { recursive: true, force: true })
  })
  const drawn = await drawInto(dir, corpus, renderer)
  const found: { name: string; differing: number }[] = []
  for (const entry of corpus) {
    const pdf = await openPdf(await readPrintFile(drawn.get(entry.name) ?? []))
    const images = await serveImages(entry, files)
    for (const [index, printArea] of entry.job.printAreas.entries()) {
      const printed = rasterize(pdf, index, printArea)
      const { document, data } = entry.job
      const filled = data === undefined ? {} : { data }
      const pxPerMm = resolution(printArea)
      const sheet = {
        document,
        ...filled,
        printArea,
        pxPerMm,
        widthPx: printed.width,
        heightPx: printed.height,
        images,
      }
      const shown = await drawInPage(page, sheet)
      // The cut path is in the print file only. A mask hides its line, and what is cut off.
      if (printArea.shape === 'ellipse') for (const raster of [shown, printed]) cutToEllipse(raster)
      found.push({ name: `${entry.name}, ${printArea.id}`, differing: shareDiffering(shown, printed) })
    }
    pdf.close()
  }
  found.sort((a, b) => b.differing - a.differing)
  const [{ name, differing } = { name: 'none', differing: 0 }] = found
  t.diagnostic(`At most ${(100 * differing).toFixed(2)} % of the pixels differ (${name}).`)
  assert.deepEqual(
    found.filter(({ differing }) => differing > 0.01),
    [],
  )
})

async function openEnginePage(t: TestContext): Promise<{ page: Page; files: Map<string, Uint8Array | string> }> {
  const listed = listFontFiles()
  const files = new Map<string, Uint8Array | string>(await buildModules({ engine: ENGINE }))
  const fonts = new Proxy(files, {
    get: (target, name) => (name === 'get' ? (path: string) => target.get(path) ?? readFont(listed, path) : undefined),
  })
  const page = await (await openProfiles(t)).newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  t.after(() => assert.deepEqual(complaints, []))
  await page.goto(await serveUnderPolicy(t, fonts))
  const listing = listed.map(({ load: _, ...file }, index) => ({ ...file, key: String(index) }))
  await page.evaluate(`(async (listing) => {
    const { createEngine } = await import('/engine.js')
    const read = async (key) => new Uint8Array(await (await fetch('/fonts/' + key)).arrayBuffer())
    const files = listing.map((file) => ({ ...file, read: () => read(file.key) }))
    window.engine = await createEngine({ listInstalled: async () => files, listUploaded: async () => [] })
  })(${JSON.stringify(listing)})`)
  return { page, files }
}

function readFont(listed: ReturnType<typeof listFontFiles>, path: string): Uint8Array | undefined {
  const [, number] = /^\/fonts\/(\d+)$/.exec(path) ?? []
  return number === undefined ? undefined : listed[Number(number)]?.load().bytes
}

/** Serves the images of a design as the service decodes them: upright and in sRGB. */
async function serveImages({ job }: CorpusEntry, files: Map<string, Uint8Array | string>): Promise<Sheet['images']> {
  const images: Sheet['images'] = {}
  for (const [id, { path }] of Object.entries(job.images)) {
    const { width = 0, height = 0, orientation = 1 } = await sharp(path).metadata()
    const size = orientation >= 5 ? { widthPx: height, heightPx: width } : { widthPx: width, heightPx: height }
    const canvas = await readCanvasImage(path, size.widthPx, size.heightPx)
    files.set(`/images/${id}`, await canvas.encode('png'))
    images[id] = size
  }
  return images
}

async function drawInPage(page: Page, sheet: Sheet): Promise<Raster> {
  const answer = await page.evaluate(`(async ({ document, data, printArea, pxPerMm, widthPx, heightPx, images }) => {
    const loaded = await Promise.all(Object.entries(images).map(async ([id, size]) => {
      const blob = await (await fetch('/images/' + id)).blob()
      return [id, { ...size, source: await createImageBitmap(blob) }]
    }))
    const problems = await window.engine.fonts.ready(document, data)
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    const canvas = new OffscreenCanvas(widthPx, heightPx)
    const { waiting } = window.engine.drawPlacement(canvas.getContext('2d'), {
      ...{ document, printArea, images: new Map(loaded), pxPerMm },
      ...{ paper: '#FFFFFF' },
      ...(data === undefined ? {} : { data }),
    })
    if (waiting.length > 0) throw new Error('Not drawn: ' + waiting)
    const blob = await canvas.convertToBlob({ type: 'image/png' })
    return new Uint8Array(await blob.arrayBuffer()).toBase64()
  })(${JSON.stringify(sheet)})`)
  const { data, info } = await sharp(Buffer.from(String(answer), 'base64'))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}

function rasterize(pdf: OpenPdf, index: number, printArea: PrintArea): Raster {
  const pxPerMm = resolution(printArea)
  const widthPx = Math.round(printArea.widthMm * pxPerMm)
  const heightPx = Math.round(printArea.heightMm * pxPerMm)
  const bleedPt = printArea.bleedMm * PT_PER_MM
  const ptPerPx = PT_PER_MM / pxPerMm
  // The box has whole pixels, so it may be a part of a pixel larger or smaller than the trim box.
  const box = { x: bleedPt, y: bleedPt, width: widthPx * ptPerPx, height: heightPx * ptPerPx }
  return pdf.rasterize(index, box, { widthPx, heightPx })
}

/** The greatest difference of a sample, of 255, that does not count. */
const TOLERANCE = 0.08 * 255

/** Returns the share of pixels of which a sample differs by more than the tolerance. */
function shareDiffering(a: Raster, b: Raster): number {
  assert.deepEqual([a.width, a.height], [b.width, b.height])
  const differs = (at: number) => Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0)) > TOLERANCE
  let count = 0
  for (let at = 0; at < a.data.length; at += 4) if (differs(at) || differs(at + 1) || differs(at + 2)) count += 1
  return count / (a.width * a.height)
}
