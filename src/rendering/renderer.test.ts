import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { inflateSync } from 'node:zlib'
import { PDFDict, PDFDocument, PDFName, PDFRawStream, PDFString } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { openPdf } from '../../test/lib/pdfium.ts'
import { Refused, RenderFailed, RenderQueueFull } from './errors.ts'
import { fullBleed, jobImage, postcard, startRenderer, text } from './factory.ts'
import { BLUE, GREEN, photo, pngClaiming, quarters, RED, scratch, WHITE } from './images/factory.ts'
import { createRenderer } from './renderer.ts'
import type { RenderedFile } from './types.ts'

// The tests decode images in this process, for which `decode` unblocks all formats.
const pixelsOf = async (picture: Uint8Array) => {
  const { data, info } = await decode(picture)
  return (x: number, y: number) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
    return [...data.subarray(at, at + 3)]
  }
}

function decode(picture: Uint8Array) {
  sharp.unblock({ operation: ['VipsForeignLoad'] })
  return sharp(picture).raw().toBuffer({ resolveWithObject: true })
}

const near = (actual: number[], expected: number[], what = '') =>
  assert.ok(
    expected.every((value, index) => Math.abs(value - (actual[index] ?? Number.NaN)) < 24),
    `${what} ${actual} is not near ${expected}`,
  )

function outDir(dir: string, name: string): string {
  const path = join(dir, name)
  mkdirSync(path)
  return path
}

const scripts = () => [
  text('Grüße aus Köln', { y: 10 }),
  text('مرحبا بالعالم', { y: 30, fontFamily: 'Noto Sans Arabic' }),
  text('नमस्ते दुनिया', { y: 50, fontFamily: 'Noto Sans Devanagari' }),
]

test('a postcard becomes one PDF with a page per side, and a preview of each', async (t) => {
  const { dir, put } = scratch(t)
  const image = jobImage(put(await photo(655, 909).jpeg().toBuffer()))
  const job = postcard({ front: [fullBleed('a'), ...scripts()], back: [text('Rückseite', { y: 20 })] }, { a: image })
  const files = await startRenderer(t).print(job, outDir(dir, 'out'))

  assert.deepEqual(
    files.map(({ kind, printAreaId, mediaType, widthMm, heightMm, pages }) => [
      kind,
      printAreaId,
      mediaType,
      widthMm,
      heightMm,
      pages,
    ]),
    [
      ['print', undefined, 'application/pdf', 105, 148, 2],
      ['preview', 'front', 'image/webp', 105, 148, undefined],
      ['preview', 'back', 'image/webp', 105, 148, undefined],
    ],
  )
  for (const { path, bytes, sha256 } of files) {
    const file = readFileSync(path)
    assert.equal(file.length, bytes)
    assert.equal(createHash('sha256').update(file).digest('hex'), sha256)
  }
  const { info } = await decode(readFileSync(files[1]?.path ?? ''))
  assert.deepEqual([info.width, info.height], [851, 1200])
})

test('each page has its boxes: 3 mm of bleed around an A6 trim', async (t) => {
  const { dir } = scratch(t)
  const [print] = await startRenderer(t).print(
    postcard({ front: [text('A', { y: 9 })], back: [text('B', { y: 9 })] }),
    outDir(dir, 'out'),
  )
  const pdf = await loadPdf(print)
  assert.equal(pdf.getPageCount(), 2)
  for (const page of pdf.getPages()) {
    assert.deepEqual(page.getMediaBox(), { x: 0, y: 0, width: 314.6457, height: 436.5354 })
    assert.deepEqual(page.getBleedBox(), page.getMediaBox())
    assert.deepEqual(rounded(page.getTrimBox()), { x: 8.504, y: 8.504, width: 297.638, height: 419.528 })
  }
})

test('each print area has a page and a preview in the order of the product, even if it is blank', async (t) => {
  const { dir } = scratch(t)
  const renderer = startRenderer(t)
  const turned = postcard({ back: [text('B', { y: 9 })], front: [text('A', { y: 9 })] })
  const both = await renderer.print(turned, outDir(dir, 'both'))
  assert.deepEqual(areasOf(both), ['front', 'back'])
  const one = await renderer.print(postcard({ back: [text('B', { y: 9 })], front: [] }), outDir(dir, 'one'))
  assert.deepEqual(areasOf(one), ['front', 'back'])
  assert.equal((await loadPdf(one[0])).getPageCount(), 2)
})

test('every font of the PDF is embedded, subset, and maps its glyphs back to text', async (t) => {
  const { dir } = scratch(t)
  const [print] = await startRenderer(t).print(postcard({ front: scripts() }), outDir(dir, 'out'))
  const pdf = await loadPdf(print)
  const dicts = pdf.context
    .enumerateIndirectObjects()
    .map(([, object]) => object)
    .filter((object) => object instanceof PDFDict)
  const fonts = dicts.filter((dict) => dict.get(PDFName.of('Subtype')) === PDFName.of('Type0'))
  const descriptors = dicts.filter((dict) => dict.get(PDFName.of('Type')) === PDFName.of('FontDescriptor'))
  const names = descriptors.map((descriptor) => String(descriptor.get(PDFName.of('FontName'))))
  for (const family of ['Inter', 'NotoSansArabic', 'NotoSansDevanagari']) {
    assert.ok(
      names.some((name) => new RegExp(`^/[A-Z]{6}\\+${family}`).test(name)),
      `${names}`,
    )
  }
  for (const descriptor of descriptors) assert.ok(descriptor.lookup(PDFName.of('FontFile2')) instanceof PDFRawStream)
  for (const font of fonts) assert.ok(font.lookup(PDFName.of('ToUnicode')) instanceof PDFRawStream)
  assert.ok(fonts.length >= 3)
})

test('every run of text can be searched and copied, in every script', async (t) => {
  const { dir } = scratch(t)
  const [print] = await startRenderer(t).print(postcard({ front: scripts() }), outDir(dir, 'out'))
  const spans = (await contentOf(print)).matchAll(/\/Span <<\/ActualText <feff([0-9a-f]*)>>> BDC/g)
  const texts = Array.from(spans, ([, hex = '']) => Buffer.from(hex, 'hex').swap16().toString('utf16le'))
  const all = texts.join('')
  for (const word of ['Grüße aus Köln', 'नमस्ते', 'दुनिया']) assert.ok(all.includes(word), `${word} in ${all}`)
  // Readers reverse the page order of right-to-left text, so the extracted letters are reversed.
  for (const word of ['مرحبا', 'بالعالم']) assert.ok(all.includes([...word].reverse().join('')), `${word} in ${all}`)
})

test('faded text can be searched and copied like any other, and stays text', async (t) => {
  const { dir } = scratch(t)
  const faded = scripts().map((layer) => ({ ...layer, opacity: 0.4, rotation: 5 }))
  // A translucent QR code is also drawn as a group, but has no text.
  const code = { id: 'code', type: 'qr', x: 60, y: 90, width: 30, height: 30, value: 'x', opacity: 0.5 } as const
  const document = postcard({ front: [code, ...faded.slice(0, 1), text('deckend', { y: 70 }), ...faded.slice(1)] })
  const [print] = await startRenderer(t).print(document, outDir(dir, 'out'))
  const pdf = await openPdf(readFileSync(print?.path ?? ''))
  t.after(() => pdf.close())
  const said = pdf
    .chars(0)
    .map(({ char }) => char)
    .join('')
  for (const word of ['Grüße', 'Köln', 'deckend', 'नमस्ते', 'दुनिया', 'مرحبا', 'بالعالم']) {
    assert.ok(said.includes(word), `${word} in ${said}`)
  }
})

test('drawing is aligned with the page boxes: an image over the trim area covers exactly the TrimBox', async (t) => {
  const { dir, put } = scratch(t)
  const image = jobImage(put(await photo(30, 40).jpeg().toBuffer()))
  const layer = { ...fullBleed('a'), x: 0, y: 0, width: 105, height: 148, fit: 'stretch' as const }
  const [print] = await startRenderer(t).print(postcard({ front: [layer] }, { a: image }), outDir(dir, 'out'))
  // The matrix of the page and the matrix of the image both flip the y axis.
  const [flip, placed] = [...(await contentOf(print)).matchAll(/^(.*) cm$/gm)].map(([, m = '']) =>
    m.split(' ').map(Number),
  )
  const [width = 0, , , height = 0, x = 0, y = 0] = placed ?? []
  const trim = { x, y: (flip?.[5] ?? 0) - y, width, height: -height }
  assert.deepEqual(rounded(trim), rounded((await loadPdf(print)).getPage(0).getTrimBox()))
})

test('a photo on both sides is in the PDF once, byte for byte', async (t) => {
  const { dir, put } = scratch(t)
  const file = await photo(300, 400).jpeg().toBuffer()
  const job = postcard(
    { front: [fullBleed('a')], back: [{ ...fullBleed('a'), opacity: 0.5 }] },
    { a: jobImage(put(file)) },
  )
  const [print] = await startRenderer(t).print(job, outDir(dir, 'out'))
  const pdf = readFileSync(print?.path ?? '')
  assert.equal(pdf.indexOf(file), pdf.lastIndexOf(file))
  assert.notEqual(pdf.indexOf(file), -1)
})

test('the same job gives the same bytes, in another process and after other jobs', async (t) => {
  const { dir, put } = scratch(t)
  const images = {
    a: jobImage(put(await photo(655, 909).jpeg().toBuffer())),
    b: jobImage(put(await photo(120, 90, 4).png().toBuffer())),
  }
  const qr = { id: 'qr', type: 'qr', value: 'https://example.com', x: 70, y: 100, width: 25, height: 25 } as const
  const logo = { ...fullBleed('b'), id: 'logo', x: 20, y: 80, width: 40, height: 30, rotation: 15 }
  const job = postcard({ front: [fullBleed('a'), ...scripts(), logo, qr], back: scripts() }, images)
  const other = postcard({ front: [text('Другая работа', { y: 30 }), fullBleed('b'), ...scripts().reverse()] }, images)

  const [first, second] = [startRenderer(t), startRenderer(t)]
  await second.print(other, outDir(dir, 'other'))
  const hashes = await Promise.all([
    hashesOf(first.print(job, outDir(dir, '1'))),
    hashesOf(second.print(job, outDir(dir, '2'))),
  ])
  assert.deepEqual(hashes[0], hashes[1])
  assert.deepEqual(await hashesOf(first.print(job, outDir(dir, '3'))), hashes[0])
  const pdf = readFileSync(join(dir, '1', 'print.pdf'), 'latin1')
  assert.deepEqual(pdf.match(/D:\d+/g), ['D:20000101000000', 'D:20000101000000'])
  assert.ok(!pdf.includes(dir))
})

test('the PDF carries the content hash', async (t) => {
  const { dir } = scratch(t)
  const job = postcard({ front: [text('A', { y: 9 })] })
  const [print] = await startRenderer(t).print(job, outDir(dir, 'out'))
  const pdf = await loadPdf(print)
  const info = pdf.context.lookup(pdf.context.trailerInfo.Info, PDFDict)
  assert.equal(info.lookup(PDFName.of('PlatenContentHash'), PDFString).asString(), job.contentHash)
})

test('photos are upright in previews for every EXIF orientation', async (t) => {
  const { put } = scratch(t)
  const renderer = startRenderer(t)
  // For each EXIF orientation, the colours of the upright image: top left, top right, bottom left, bottom right.
  const upright: Record<number, number[][]> = {
    1: [RED, GREEN, BLUE, WHITE],
    2: [GREEN, RED, WHITE, BLUE],
    3: [WHITE, BLUE, GREEN, RED],
    4: [BLUE, WHITE, RED, GREEN],
    5: [RED, BLUE, GREEN, WHITE],
    6: [BLUE, RED, WHITE, GREEN],
    7: [WHITE, GREEN, BLUE, RED],
    8: [GREEN, WHITE, RED, BLUE],
  }
  for (const [orientation, expected] of Object.entries(upright)) {
    const path = put(
      await quarters(120, 80)
        .withMetadata({ orientation: Number(orientation) })
        .jpeg()
        .toBuffer(),
    )
    const layer = { ...fullBleed('a'), x: 0, y: 0, width: 105, height: 148, fit: 'stretch' as const }
    const job = postcard({ front: [layer] }, { a: jobImage(path) })
    const at = await pixelsOf(await renderer.preview({ ...job, printAreaId: 'front', widthPx: 200, format: 'png' }))
    const seen = [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
    for (const [index, color] of seen.entries())
      near(color, expected[index] ?? [], `orientation ${orientation}, ${index}:`)
  }
})

test('a preview shows the trim box on white, including transparency', async (t) => {
  const { put } = scratch(t)
  const half = await sharp({
    create: { width: 50, height: 50, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
  })
    .png()
    .toBuffer()
  const shape = { id: 's', type: 'shape', shape: 'rect', x: -3, y: -3, width: 60, height: 30, fill: '#0000FF' } as const
  const layer = { ...fullBleed('a'), x: 0, y: 74, width: 52.5, height: 74 }
  const job = postcard({ front: [shape, layer] }, { a: jobImage(put(half)) })
  const renderer = startRenderer(t)
  for (const format of ['png', 'webp'] as const) {
    const at = await pixelsOf(await renderer.preview({ ...job, printAreaId: 'front', widthPx: 300, format }))
    near(at(0.01, 0.01), BLUE, 'the shape reaches the trim edge:')
    near(at(0.9, 0.1), WHITE, 'nothing is drawn here:')
    near(at(0.25, 0.75), [255, 128, 128], 'half red on white:')
  }
})

test('a preview of an unknown print area or an excessive width fails without affecting others', async (t) => {
  const renderer = startRenderer(t)
  const job = { ...postcard({ front: [text('A', { y: 9 })] }), printAreaId: 'front', format: 'png' } as const
  for (const widthPx of [15, 2001, Number.NaN])
    await assert.rejects(renderer.preview({ ...job, widthPx }), RenderFailed)
  await assert.rejects(renderer.preview({ ...job, widthPx: 100, printAreaId: 'lid' }), RenderFailed)
  assert.ok((await renderer.preview({ ...job, widthPx: 16 })).length > 0)
})

test('a job without the file of an image, or with another file, gives no print file', async (t) => {
  const { dir, put } = scratch(t)
  const renderer = startRenderer(t)
  const image = jobImage(put(await photo(30, 40).jpeg().toBuffer()))
  const forged = { ...image, sha256: 'ab'.repeat(32) }
  for (const [index, images] of [{}, { a: forged }].entries()) {
    const printing = renderer.print(postcard({ front: [fullBleed('a')] }, images), outDir(dir, String(index)))
    await assert.rejects(printing, RenderFailed)
  }
})

test('inspects in another process and states why a file is rejected', async (t) => {
  const { put } = scratch(t)
  const renderer = startRenderer(t)
  const good = put(await photo(60, 40).jpeg().toBuffer())
  assert.equal((await renderer.inspect({ path: good })).widthPx, 60)
  for (const [bytes, code] of [
    ['text', 'asset_type_unsupported'],
    ['', 'asset_unreadable'],
    [pngClaiming(20_000, 20_000), 'asset_too_large'],
  ] as const) {
    await assert.rejects(
      renderer.inspect({ path: put(bytes) }),
      (error) => error instanceof Refused && error.code === code,
    )
  }
  assert.equal((await renderer.inspect({ path: good })).widthPx, 60)
})

test('a file whose decoding exceeds the memory or time limit is rejected as too large', async (t) => {
  const { put } = scratch(t)
  // libvips needs memory for all pixels of an interlaced image.
  const path = put(await photo(6000, 6000).png({ progressive: true, compressionLevel: 1 }).toBuffer())
  for (const limit of [{ memoryLimitMb: 150 }, { timeoutMs: 400 }]) {
    const refused = (error: unknown) => error instanceof Refused && error.code === 'asset_too_large'
    await assert.rejects(startRenderer(t, limit).inspect({ path }), refused)
  }
})

test('a job that exceeds its processor time is distinguished from one on a busy computer', async (t) => {
  const job = { ...postcard({}), printAreaId: 'front', widthPx: 2000, format: 'webp' as const }
  await assert.rejects(startRenderer(t, { cpuLimitMs: 1 }).preview(job), { cause: 'deadline' })
})

test('an account that keeps all processors busy does not delay another', async (t) => {
  const { dir } = scratch(t)
  const path = join(dir, 'started')
  writeFileSync(path, '')
  const renderer = createRenderer({
    module: new URL('./held-previews.fixture.ts', import.meta.url),
    log: { warn: () => {} },
  })
  t.after(() => renderer.close())
  const job = { ...postcard({}), printAreaId: 'front', widthPx: 100, format: 'webp' as const }
  const held = { ...job, images: { photo: { path, sha256: '' } } }
  const many = Array.from({ length: 8 }, () => renderer.preview(held, { owner: 'many' }))
  while (readFileSync(path).length < availableParallelism()) await pause(5)
  await renderer.preview(job, { owner: 'single' })
  writeFileSync(join(dir, 'end'), '')
  await Promise.all(many)
})

test('a full queue rejects further jobs', async (t) => {
  const { put } = scratch(t)
  const path = put(await photo(60, 40).jpeg().toBuffer())
  const renderer = startRenderer(t, { maxQueue: 0 })
  const first = renderer.inspect({ path })
  await assert.rejects(renderer.inspect({ path }), RenderQueueFull)
  await first
})

test('the uploads of one account cannot fill the queue', async (t) => {
  const { dir, put } = scratch(t)
  const path = put(await photo(60, 40).jpeg().toBuffer())
  const renderer = startRenderer(t, { maxQueuePerOwner: 0 })
  await renderer.inspect({ path })
  const options = { owner: 'greedy' }
  const first = renderer.inspect({ path }, options)
  await assert.rejects(renderer.inspect({ path }, options), RenderQueueFull)
  await assert.rejects(renderer.inspectFont({ path, unpackedPath: join(dir, 'font') }, options), RenderQueueFull)
  await assert.rejects(renderer.inspectProfile({ path }, options), RenderQueueFull)
  assert.equal((await renderer.inspect({ path })).widthPx, 60)
  await first
})

async function loadPdf(file: RenderedFile | undefined) {
  return PDFDocument.load(readFileSync(file?.path ?? ''), { updateMetadata: false })
}

/** Returns the drawing operators of the first page. */
async function contentOf(file: RenderedFile | undefined) {
  const pdf = await loadPdf(file)
  const content = pdf.context.lookup(pdf.getPage(0).node.get(PDFName.of('Contents')))
  assert.ok(content instanceof PDFRawStream)
  return inflateSync(content.contents).toString('latin1')
}

function areasOf(files: RenderedFile[]) {
  return files.slice(1).map(({ printAreaId }) => printAreaId)
}

async function hashesOf(files: Promise<RenderedFile[]>) {
  return (await files).map(({ sha256 }) => sha256)
}

function rounded(box: Record<string, number>) {
  return Object.fromEntries(Object.entries(box).map(([key, value]) => [key, Math.round(value * 1000) / 1000]))
}
