import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { PDFDocument as EditablePdf, PDFArray, PDFDict, PDFName, PDFNumber, PDFRawStream } from '@cantoo/pdf-lib'
import { PDFDocument, type SKRSContext2D } from '@napi-rs/canvas'
import { photo, scratch, unfilterRows } from '../images/factory.ts'
import { openImage } from '../images/open-image.ts'
import { type PrintImage, readPrintImage } from '../images/print-image.ts'
import { finishPdf } from './finish-pdf.ts'
import { createPlaceholderImage } from './placeholder-images.ts'

const contentHash = 'ab'.repeat(32)

/** Creates a PDF with one page per image, on which the image is drawn twice. */
async function pdfOf(images: PrintImage[]) {
  const skia = new PDFDocument({ compressionLevel: 0 })
  for (const index of images.keys()) {
    const context = skia.beginPage(120, 90) as SKRSContext2D
    const placeholder = createPlaceholderImage(index)
    context.drawImage(placeholder, 0, 0, 60, 90)
    context.globalAlpha = 0.5
    context.rotate(0.2)
    context.drawImage(placeholder, 30, 0, 60, 90)
    skia.endPage()
  }
  const pages = images.map(() => ({ widthPt: 100, heightPt: 70, bleedPt: 10, texts: [], decorators: [] }))
  return finishPdf(skia.close(), { pages, images, producer: 'Platen test', contentHash })
}

async function printImageOf(path: string) {
  return readPrintImage(path, hash('sha256', await readFile(path)), (original) => original)
}

async function imageObjects(bytes: Uint8Array) {
  const pdf = await EditablePdf.load(bytes, { updateMetadata: false })
  const streams = pdf.context.enumerateIndirectObjects().map(([, object]) => object)
  return streams
    .filter((object) => object instanceof PDFRawStream)
    .filter((stream) => stream.dict.get(PDFName.of('Subtype')) === PDFName.of('Image'))
}

const entry = (stream: PDFRawStream | undefined, name: string) => stream?.dict.lookup(PDFName.of(name))
const size = (stream: PDFRawStream | undefined) =>
  ['Width', 'Height'].map((side) => stream?.dict.lookup(PDFName.of(side), PDFNumber).asNumber())

test('an ordinary JPEG is in the PDF byte for byte, once, however often it is drawn', async (t) => {
  const { put } = scratch(t)
  for (const file of [
    await photo(300, 200).jpeg().toBuffer(),
    await photo(300, 200).jpeg({ progressive: true }).toBuffer(),
    await photo(300, 200).toColourspace('b-w').jpeg().toBuffer(),
    await photo(300, 200).withIccProfile('p3').jpeg().toBuffer(),
  ]) {
    const [image, ...others] = await imageObjects(await pdfOf([await printImageOf(put(file))]))
    assert.equal(others.length, 0)
    assert.deepEqual(Buffer.from(image?.contents ?? []), file)
    assert.equal(entry(image, 'Filter'), PDFName.of('DCTDecode'))
    assert.deepEqual(size(image), [300, 200])
  }
})

test('data after the image in a JPEG file is not included in the PDF', async (t) => {
  const file = await photo(30, 20).jpeg().toBuffer()
  const path = scratch(t).put(Buffer.concat([file, Buffer.from('PK\x03\x04 and a whole archive')]))
  assert.deepEqual((await printImageOf(path)).bytes, file)
})

test('a wide-gamut JPEG keeps its profile, and an sRGB JPEG uses the shared sRGB profile', async (t) => {
  const { put } = scratch(t)
  const p3 = put(await photo(30, 20).withIccProfile('p3').jpeg().toBuffer())
  const [image] = await imageObjects(await pdfOf([await printImageOf(p3)]))
  const space = entry(image, 'ColorSpace')
  assert.ok(space instanceof PDFArray)
  const profile = inflateSync(space.lookup(1, PDFRawStream).contents)
  assert.deepEqual(profile, (await openImage(p3).metadata()).icc)
  const srgb = put(await photo(30, 20).withIccProfile('srgb').jpeg().toBuffer())
  assert.equal((await printImageOf(srgb)).icc, undefined)
})

test('an opaque PNG keeps its compressed rows unchanged', async (t) => {
  const file = await photo(300, 200).png().toBuffer()
  const [image] = await imageObjects(await pdfOf([await printImageOf(scratch(t).put(file))]))
  assert.ok(file.includes(Buffer.from(image?.contents ?? []).subarray(0, 1000)))
  assert.deepEqual(size(image), [300, 200])
})

test('transparency becomes a soft mask, and an opaque alpha channel does not', async (t) => {
  const { put } = scratch(t)
  const image = await printImageOf(put(await photo(40, 30, 4).webp({ lossless: true }).toBuffer()))
  const objects = await imageObjects(await pdfOf([image]))
  assert.equal(objects.length, 2)
  const [color] = objects.filter((object) => entry(object, 'SMask') !== undefined)
  assert.ok(entry(color, 'SMask') instanceof PDFRawStream)
  assert.deepEqual(size(entry(color, 'SMask') as PDFRawStream), [40, 30])

  const opaque = await printImageOf(put(await photo(40, 30).ensureAlpha().png().toBuffer()))
  assert.equal(opaque.alpha, undefined)
})

test('CMYK, 16 bits, palettes, interlaced rows and TIFF are converted at their own size', async (t) => {
  const { put } = scratch(t)
  for (const file of [
    await photo(40, 30).toColourspace('cmyk').jpeg().toBuffer(),
    await photo(40, 30).toColourspace('rgb16').png().toBuffer(),
    await photo(40, 30).png({ palette: true }).toBuffer(),
    await photo(40, 30).png({ progressive: true }).toBuffer(),
    await photo(40, 30).tiff().toBuffer(),
    await photo(40, 30).toColourspace('b-w').tiff().toBuffer(),
  ]) {
    const image = await printImageOf(put(file))
    assert.equal(image.encoding, 'png-rows')
    assert.deepEqual([image.widthPx, image.heightPx, image.alpha, image.icc], [40, 30, undefined, undefined])
    // Each row is a filter byte followed by its samples.
    assert.equal(inflateSync(image.bytes).length, 30 * (1 + 40 * image.components))
  }
})

test('lossless images keep every sample', async (t) => {
  const path = scratch(t).put(await photo(40, 30).tiff({ compression: 'lzw' }).toBuffer())
  const image = await printImageOf(path)
  const samples = await openImage(path).raw().toBuffer()
  assert.deepEqual(unfilterRows(inflateSync(image.bytes), 40, 3), samples)
})

test('a file whose content changed is not printed', async (t) => {
  const path = scratch(t).put(await photo(40, 30).jpeg().toBuffer())
  await assert.rejects(readPrintImage(path, 'ab'.repeat(32), (original) => original))
})

test('the boxes put the trim inside the bleed, and the hash is the identity of the file', async (t) => {
  const bytes = await pdfOf([await printImageOf(scratch(t).put(await photo(9, 9).jpeg().toBuffer()))])
  const pdf = await EditablePdf.load(bytes, { updateMetadata: false })
  const page = pdf.getPage(0)
  assert.deepEqual(page.getMediaBox(), { x: 0, y: 0, width: 120, height: 90 })
  assert.deepEqual(page.getBleedBox(), page.getMediaBox())
  assert.deepEqual(page.getTrimBox(), { x: 10, y: 10, width: 100, height: 70 })
  const info = pdf.context.lookup(pdf.context.trailerInfo.Info, PDFDict)
  assert.equal(String(info.get(PDFName.of('PlatenContentHash'))), `(${contentHash})`)
  assert.equal(String(pdf.context.trailerInfo.ID), `[ <${'ab'.repeat(16)}> <${'ab'.repeat(16)}> ]`)
})

test('an image other than a placeholder image is an error and is not printed', async () => {
  const skia = new PDFDocument({ compressionLevel: 0 })
  const context = skia.beginPage(9, 9) as SKRSContext2D
  context.drawImage(createPlaceholderImage(5), 0, 0, 9, 9)
  skia.endPage()
  const finishing = finishPdf(skia.close(), { pages: [], images: [], producer: '', contentHash })
  await assert.rejects(finishing, /not a placeholder image/)
})
