import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodePDFRawStream,
  PDFDocument as EditablePdf,
  PDFArray,
  PDFDict,
  PDFName,
  PDFRawStream,
} from '@cantoo/pdf-lib'
import { PDFDocument } from '@napi-rs/canvas'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { drawCutPath } from './cut-path.ts'
import { finishPdf, type PageDecorator } from './finish-pdf.ts'

/** Creates a PDF of white pages with a trim size of 100 by 70 points and 10 points of bleed. */
async function print(...decorators: PageDecorator[][]) {
  const skia = new PDFDocument({ compressionLevel: 0 })
  for (const _ of decorators) {
    skia.beginPage(120, 90)
    skia.endPage()
  }
  const pages = decorators.map((list) => ({ widthPt: 100, heightPt: 70, bleedPt: 10, texts: [], decorators: list }))
  const options = { pages, images: [], producer: 'Platen test', contentHash: 'ab'.repeat(32) }
  return finishPdf(skia.close(), options)
}

const open = (bytes: Uint8Array) => EditablePdf.load(bytes, { updateMetadata: false })
const name = (value: string) => PDFName.of(value)

function contentOf(pdf: EditablePdf, page: number): string {
  const contents = pdf.getPage(page).node.Contents()
  const streams = contents instanceof PDFArray ? contents.asArray().map((ref) => pdf.context.lookup(ref)) : [contents]
  return streams
    .map((stream) => {
      assert.ok(stream instanceof PDFRawStream)
      return Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1')
    })
    .join('\n')
}

test('the cut path is an overprinting hairline in the spot colour CutContour along the trim edge', async () => {
  const pdf = await open(await print([drawCutPath('rectangle')]))
  const content = contentOf(pdf, 0)
  assert.match(
    content,
    /\/OC \/CutContour BDC\n\/CutContour CS 1 SCN \/CutContour gs 0\.25 w 0 J 0 j \[\] 0 d\n10 10 m\n110 10 l\n110 80 l\n10 80 l\ns\nEMC/,
  )
  const resources = pdf.getPage(0).node.Resources()
  const [kind, colorant, alternate] =
    resources?.lookup(name('ColorSpace'), PDFDict).lookup(name('CutContour'), PDFArray).asArray() ?? []
  assert.deepEqual([kind, colorant], [name('Separation'), name('CutContour')])
  // PDF/X forbids the colours of any device other than that of the output intent.
  assert.equal(pdf.context.lookup(alternate, PDFArray).get(0), name('Lab'))
  const state = resources?.lookup(name('ExtGState'), PDFDict).lookup(name('CutContour'), PDFDict)
  assert.deepEqual(
    ['OP', 'op', 'OPM'].map((key) => String(state?.get(name(key)))),
    ['true', 'true', '1'],
  )
})

test('an ellipse touches the trim box in the middle of each side', async () => {
  const content = contentOf(await open(await print([drawCutPath('ellipse')])), 0)
  const ends = [...content.matchAll(/^(?:.* )?([\d.]+ [\d.]+) [mc]$/gm)].map(([, end]) => end)
  assert.deepEqual(ends, ['110 45', '60 80', '10 45', '60 10', '110 45'])
})

test('all cut paths of a file are on one optional layer, which is visible by default', async () => {
  const pdf = await open(await print([drawCutPath('ellipse')], [], [drawCutPath('rectangle')]))
  const properties = pdf.catalog.lookup(name('OCProperties'), PDFDict)
  const [layer, ...others] = properties.lookup(name('OCGs'), PDFArray).asArray()
  assert.equal(others.length, 0)
  assert.equal(String(pdf.context.lookup(layer, PDFDict).get(name('Name'))), '(CutContour)')
  // PDF/X-4 requires a name, an order that lists all layers, and no automatic switching.
  const config = properties.lookup(name('D'), PDFDict)
  assert.equal(String(config.get(name('Name'))), '(Layers)')
  assert.deepEqual(config.lookup(name('Order'), PDFArray).asArray(), [layer])
  assert.equal(config.get(name('AS')), undefined)
  const named = [0, 1, 2].map((page) => pdf.getPage(page).node.Resources()?.lookupMaybe(name('Properties'), PDFDict))
  assert.deepEqual(
    named.map((dict) => dict?.get(name('CutContour'))),
    [layer, undefined, layer],
  )
})

test('a file without cuts has no layers', async () => {
  const pdf = await open(await print([], []))
  assert.equal(pdf.catalog.get(name('OCProperties')), undefined)
  assert.equal(contentOf(pdf, 0).includes('CutContour'), false)
})

test('a reader shows the cut path at its position in magenta', async () => {
  const pdf = await openPdf(await print([drawCutPath('ellipse')]))
  const { data } = pdf.rasterize(0, { x: 0, y: 0, width: 120, height: 90 }, { widthPx: 1200, heightPx: 900 })
  pdf.close()
  const at = (x: number, y: number) => [...data.subarray((y * 1200 + x) * 4, (y * 1200 + x) * 4 + 3)]
  const marked = (x: number, y: number) => {
    // At this resolution, a hairline is two and a half pixels wide.
    const colors = [-3, -2, -1, 0, 1, 2, 3].map((dx) => at(x + dx, y))
    return colors.some(([red = 0, green = 255, blue = 0]) => red > 200 && green < 100 && blue > 200)
  }
  assert.ok(marked(100, 450) && marked(1100, 450))
  assert.ok(marked((600 + 500 * Math.SQRT1_2) | 0, (450 - 350 * Math.SQRT1_2) | 0))
  assert.ok(!marked(600, 450) && !marked(130, 130))
})
