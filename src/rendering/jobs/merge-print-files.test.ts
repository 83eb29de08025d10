import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { GRAY_PROFILE } from '../color/srgb.ts'
import { RenderFailed } from '../errors.ts'
import { fullBleed, jobImage, type LayerInput, POSTCARD, postcard, text } from '../factory.ts'
import { photo, scratch } from '../images/factory.ts'
import { createRenderer } from '../renderer.ts'
import type { HashedPrintJob, JobImage } from '../types.ts'

const { dir, put } = scratch({ after })
const renderer = createRenderer({ processes: 1, log: { warn: () => {} } })
after(() => renderer.close())

type File = JobImage & { bytes: Buffer }
const files: Record<'photo' | 'photoAgain' | 'round' | 'gray', File> = {} as never

const name = (value: string) => PDFName.of(value)
const tinted: LayerInput = {
  ...{ id: 'tint', type: 'shape', shape: 'ellipse', x: 20, y: 60, width: 50, height: 50 },
  ...{ fill: '#33669980', opacity: 0.5 },
}

before(async () => {
  const images = { photo: jobImage(put(await photo(300, 450).jpeg().toBuffer())) }
  const front = (value: string) => [fullBleed('photo'), tinted, text(value, { y: 20 })]
  const jobs: Record<keyof typeof files, HashedPrintJob> = {
    photo: postcard({ front: front('Ada'), back: [text('Back', { y: 20 })] }, images),
    photoAgain: postcard({ front: front('Grace Hopper'), back: [] }, images),
    round: {
      ...postcard({ front: [text('Round', { y: 40 })] }),
      printAreas: POSTCARD.map((area) => ({ ...area, cutPath: 'spot' as const })),
    },
    gray: { ...postcard({ front: [text('Gray', { y: 40 })] }), outputProfile: jobImage(put(GRAY_PROFILE)) },
  }
  for (const [key, job] of Object.entries(jobs)) {
    const [print] = await renderer.print(job, mkdtempSync(join(dir, key)))
    const { path = '', sha256 = '' } = print ?? {}
    files[key as keyof typeof files] = { path, sha256, bytes: readFileSync(path) }
  }
})

async function merge(keys: readonly (keyof typeof files)[]) {
  const outDir = mkdtempSync(join(dir, 'merged-'))
  const merging = keys.map((key) => ({ path: files[key].path, sha256: files[key].sha256, title: `Title of ${key}` }))
  const outcome = await renderer.mergePrintFiles({ title: 'Print files', files: merging }, outDir)
  if (!('path' in outcome)) return { others: outcome.others }
  const bytes = readFileSync(outcome.path)
  assert.equal(bytes.length, outcome.bytes)
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false, throwOnInvalidObject: true })
  assert.equal(pdf.getPageCount(), outcome.pages)
  return { bytes, pdf }
}

async function mergeAlike(keys: readonly (keyof typeof files)[]): Promise<{ bytes: Buffer; pdf: PDFDocument }> {
  const { bytes, pdf } = await merge(keys)
  assert.ok(bytes !== undefined && pdf !== undefined)
  return { bytes, pdf }
}

/** The pixels of all pages, with their boxes. */
async function pagesOf(bytes: Buffer): Promise<string[]> {
  const [reader, pdf] = [await openPdf(bytes), await PDFDocument.load(bytes, { updateMetadata: false })]
  try {
    return pdf.getPages().map((page, index) => {
      const media = page.getMediaBox()
      const { data } = reader.rasterize(index, media, { widthPx: 40, heightPx: 56 })
      const boxes = [media, page.getTrimBox(), page.getBleedBox()]
      return JSON.stringify({ boxes, pixels: Buffer.from(data).toString('base64') })
    })
  } finally {
    reader.close()
  }
}

/** All objects of a type, with the streams among them. */
function dictsOf(pdf: PDFDocument, type: string): PDFDict[] {
  const objects = pdf.context
    .enumerateIndirectObjects()
    .map(([, one]) => (one instanceof PDFRawStream ? one.dict : one))
  return objects.filter((one): one is PDFDict => one instanceof PDFDict && one.get(name('Type')) === name(type))
}

test('a merged file has the pages of all files in their order, with the same boxes and pixels', async () => {
  const keys = ['round', 'photo', 'photoAgain', 'photo'] as const
  const { bytes } = await mergeAlike(keys)
  const expected = (await Promise.all(keys.map((key) => pagesOf(files[key].bytes)))).flat()
  const found = await pagesOf(bytes)
  assert.equal(found.length, 2 + 2 + 2 + 2)
  for (const [index, page] of found.entries()) assert.ok(page === expected[index], `page ${index + 1} differs`)
})

test('a merged file is PDF/X-4 with the printing condition, the layers and the blending space of its files', async () => {
  const { pdf, bytes } = await mergeAlike(['photo', 'round'])
  const original = await PDFDocument.load(files.photo.bytes, { updateMetadata: false })
  const profileOf = ({ catalog }: PDFDocument) => {
    const intents = catalog.lookup(name('OutputIntents'), PDFArray)
    assert.equal(intents.size(), 1)
    const profile = intents.lookup(0, PDFDict).lookup(name('DestOutputProfile'))
    assert.ok(profile instanceof PDFRawStream)
    return Buffer.from(profile.contents)
  }
  assert.deepEqual(profileOf(pdf), profileOf(original))
  assert.match(bytes.toString('latin1'), /<pdfxid:GTS_PDFXVersion>PDF\/X-4</)
  assert.ok(bytes.toString('latin1').startsWith('%PDF-1.6\n'))
  const layers = pdf.catalog.lookup(name('OCProperties'), PDFDict).lookup(name('OCGs'), PDFArray)
  assert.equal(layers.size(), 1)
  const group = pdf.getPage(0).node.lookup(name('Group'), PDFDict)
  assert.ok(group.get(name('CS')) !== undefined)
})

test('what several files contain is stored once', async () => {
  const { bytes, pdf } = await mergeAlike(['photo', 'photoAgain', 'photo', 'photo'])
  const photos = pdf.context
    .enumerateIndirectObjects()
    .filter(([, one]) => one instanceof PDFRawStream && one.dict.get(name('Subtype')) === name('Image'))
  assert.equal(photos.length, 1)
  assert.equal(dictsOf(pdf, 'OutputIntent').length, 1)
  // The second use of a file adds its pages only.
  const { bytes: once } = await mergeAlike(['photo', 'photoAgain'])
  assert.ok(bytes.length - once.length < 4_000, `${bytes.length - once.length} more bytes`)
})

// Files name their subsets alike. A reader that caches fonts by name would draw the glyphs of another file.
test('subsets of a font have different names', async () => {
  const { pdf } = await mergeAlike(['photo', 'photoAgain', 'round'])
  const fontNames = dictsOf(pdf, 'FontDescriptor').map((descriptor) => String(descriptor.get(name('FontName'))))
  assert.equal(fontNames.length, 3)
  assert.equal(new Set(fontNames).size, 3)
  for (const one of fontNames) assert.match(one, /^\/[A-Z]{6}\+Inter/)
  // A composite font, its CID font and its descriptor have the same name.
  const fonts = dictsOf(pdf, 'Font').filter((font) => font.get(name('Subtype')) !== name('Type3'))
  for (const font of fonts) assert.ok(fontNames.includes(String(font.get(name('BaseFont')))))
})

test('the outline leads to the first page of each file', async () => {
  const { pdf } = await mergeAlike(['round', 'photo', 'round'])
  const outline = pdf.catalog.lookup(name('Outlines'), PDFDict)
  const entries: [string, number][] = []
  const pages = pdf.getPages().map(({ ref }) => ref)
  for (let item = outline.lookup(name('First'), PDFDict); ; item = item.lookup(name('Next'), PDFDict)) {
    const page = item.lookup(name('Dest'), PDFArray).get(0)
    assert.ok(page instanceof PDFRef)
    entries.push([item.lookup(name('Title'), PDFHexString).decodeText(), pages.indexOf(page)])
    if (!item.has(name('Next'))) break
  }
  assert.deepEqual(entries, [
    ['Title of round', 0],
    ['Title of photo', 2],
    ['Title of round', 4],
  ])
})

test('files with other printing conditions than the first are named, and not merged', async () => {
  assert.deepEqual((await merge(['photo', 'gray', 'photo', 'gray'])).others, [1, 3])
})

test('the same files give the same bytes', async () => {
  const [first, second] = [await mergeAlike(['photo', 'round']), await mergeAlike(['photo', 'round'])]
  assert.ok(first.bytes.equals(second.bytes))
})

test('a damaged file, or one of which something would be lost, is not merged', async () => {
  const path = join(dir, 'damaged.pdf')
  writeFileSync(path, Buffer.concat([files.photo.bytes, Buffer.from(' ')]))
  const pdf = await PDFDocument.load(files.photo.bytes, { updateMetadata: false })
  pdf.catalog.set(name('StructTreeRoot'), pdf.context.obj({}))
  const tagged = jobImage(put(Buffer.from(await pdf.save())))
  for (const file of [{ path, sha256: files.photo.sha256 }, tagged]) {
    const outDir = mkdtempSync(join(dir, 'merged-'))
    const job = { title: 'Print files', files: [{ ...file, title: 'a' }] }
    await assert.rejects(renderer.mergePrintFiles(job, outDir), (error) => {
      return error instanceof RenderFailed && /is damaged|would lose \/StructTreeRoot/.test(error.message)
    })
  }
})
