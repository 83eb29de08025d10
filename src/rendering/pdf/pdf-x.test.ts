import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNumber, type PDFObject, PDFRawStream } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { readProfile } from '../color/read-profile.ts'
import { GRAY_PROFILE, SRGB_OUTPUT_PROFILE, SRGB_PROFILE } from '../color/srgb.ts'
import { RenderFailed } from '../errors.ts'
import { fullBleed, jobImage, type LayerInput, POSTCARD, postcard, text } from '../factory.ts'
import { photo, scratch } from '../images/factory.ts'
import { createRenderer } from '../renderer.ts'
import type { HashedPrintJob } from '../types.ts'

sharp.unblock({ operation: ['VipsForeignLoad'] })

const { dir, put } = scratch({ after })
const renderer = createRenderer({ processes: 1, log: { warn: () => {} } })
after(() => renderer.close())

/** A PDF file, its objects, and its decompressed streams. */
type Walked = { bytes: Buffer; pdf: PDFDocument; objects: PDFObject[]; contents: string[] }
const files: Record<string, Walked> = {}
let cmyk: Buffer

const name = (value: string) => PDFName.of(value)

before(async () => {
  const cmykPicture = photo(2, 2).withIccProfile('cmyk').tiff().toBuffer()
  cmyk = (await sharp(await cmykPicture).metadata()).icc ?? Buffer.alloc(0)
  const images = {
    plain: jobImage(put(await photo(300, 200).jpeg().toBuffer())),
    wide: jobImage(put(await photo(300, 200).withIccProfile('p3').jpeg().toBuffer())),
    wideAgain: jobImage(put(await photo(200, 300).withIccProfile('p3').jpeg().toBuffer())),
    gray: jobImage(put(await photo(300, 200).toColourspace('b-w').jpeg().toBuffer())),
    alpha: jobImage(put(await photo(300, 200, 4).png().toBuffer())),
    cmyk: jobImage(put(await photo(300, 200).withIccProfile('cmyk').jpeg().toBuffer())),
  }
  const small = (assetId: string, index: number): LayerInput => ({
    ...fullBleed(assetId),
    ...{ x: 5 + index * 15, y: 60, width: 14, height: 10 },
  })
  const front: LayerInput[] = [
    fullBleed('plain'),
    ...Object.keys(images).slice(1).map(small),
    text('Grüße aus Köln, 0123', { y: 10 }),
    text('مرحبا بالعالم', { y: 30, fontFamily: 'Noto Sans Arabic' }),
    text('नमस्ते दुनिया', { y: 40, fontFamily: 'Noto Sans Devanagari' }),
    ...Array.from({ length: 100 }, (_, index) => shape(index)),
    { id: 'qr', type: 'qr', value: 'https://example.com', x: 70, y: 110, width: 25, height: 25 },
  ]
  const opaque: LayerInput = { ...shape(0), opacity: 1, fill: '#112233' } as LayerInput
  const profile = jobImage(put(cmyk))
  const jobs: Record<string, HashedPrintJob> = {
    everything: postcard({ front, back: [opaque] }, images),
    'blank pages': postcard({ front: [], back: [] }),
    'a press profile': { ...postcard({ front, back: [] }, images), outputProfile: profile },
    'twenty areas': {
      ...postcard({ front: [opaque] }),
      printAreas: Array.from(
        { length: 20 },
        (_, index) => ({ ...POSTCARD[0], id: `a${index}` }) as (typeof POSTCARD)[0],
      ),
    },
  }
  for (const [what, job] of Object.entries(jobs)) {
    const outDir = join(dir, what)
    mkdirSync(outDir)
    const [print] = await renderer.print(job, outDir)
    files[what] = await walk(readFileSync(print?.path ?? ''))
  }
})

function shape(index: number): LayerInput {
  return {
    id: `shape-${index}`,
    type: 'shape',
    shape: index % 2 === 0 ? 'ellipse' : 'rect',
    x: (index % 10) * 10,
    y: 75 + Math.floor(index / 10) * 3,
    width: 9,
    height: 2.5,
    opacity: 0.5,
    fill: '#33669980',
    stroke: { color: '#CC0000', widthMm: 0.3, dashMm: [1, 0.5] },
  }
}

async function walk(bytes: Buffer): Promise<Walked> {
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false })
  const objects = pdf.context.enumerateIndirectObjects().map(([, object]) => object)
  const pages = pdf.getPages().map(({ node }) => streamAt(node, 'Contents'))
  const forms = objects
    .filter((object) => object instanceof PDFRawStream)
    .filter(({ dict }) => dict.get(name('Subtype')) === name('Form') || dict.has(name('PatternType')))
  const contents = [...pages, ...forms].map((stream) => unpacked(stream).toString('latin1'))
  return { bytes, pdf, objects, contents }
}

function streamAt(dict: PDFDict, key: string): PDFRawStream {
  const stream = dict.lookup(name(key))
  assert.ok(stream instanceof PDFRawStream, key)
  return stream
}

function unpacked(stream: PDFRawStream): Buffer {
  return stream.dict.get(name('Filter')) === name('FlateDecode')
    ? inflateSync(stream.contents)
    : Buffer.from(stream.contents)
}

const dictsOf = ({ objects }: Walked) =>
  objects.flatMap((object) =>
    object instanceof PDFRawStream ? [object.dict] : object instanceof PDFDict ? [object] : [],
  )

/** Yields every dictionary in a file, including nested ones. */
function* allDicts(object: PDFObject): Generator<PDFDict> {
  if (object instanceof PDFRawStream) yield* allDicts(object.dict)
  if (object instanceof PDFArray) for (const item of object.asArray()) yield* allDicts(item)
  if (!(object instanceof PDFDict)) return
  yield object
  for (const value of object.values()) yield* allDicts(value)
}

function profileOf(space: PDFObject | undefined): Buffer {
  assert.ok(space instanceof PDFArray)
  assert.equal(space.get(0), name('ICCBased'))
  const stream = space.lookup(1)
  assert.ok(stream instanceof PDFRawStream)
  return unpacked(stream)
}

const each = (check: (file: Walked, what: string) => void | Promise<void>) => async () => {
  assert.equal(Object.keys(files).length, 4)
  for (const [what, file] of Object.entries(files)) await check(file, what)
}

test(
  'the version is 1.6, without encryption, scripts and annotations',
  each(({ bytes, pdf, objects }) => {
    assert.equal(bytes.toString('latin1', 0, 9), '%PDF-1.6\n')
    assert.equal(pdf.context.trailerInfo.Encrypt, undefined)
    assert.match(String(pdf.context.trailerInfo.ID), /^\[ <([0-9a-f]{32})> <\1> \]$/)
    const forbidden = [
      'JS',
      'JavaScript',
      'AA',
      'OpenAction',
      'Annots',
      'AcroForm',
      'EmbeddedFiles',
      'OPI',
      'TR',
      'HTP',
      'PS',
    ]
    for (const dict of objects.flatMap((object) => [...allDicts(object)])) {
      for (const key of forbidden) assert.equal(dict.has(name(key)), false, key)
    }
  }),
)

test(
  'the XMP packet, which is not compressed, and the document information have equal metadata',
  each(({ bytes, pdf }) => {
    const stream = streamAt(pdf.catalog, 'Metadata')
    assert.deepEqual(
      stream.dict
        .entries()
        .map(([key, value]) => `${key} ${value}`)
        .filter((entry) => !entry.startsWith('/Length')),
      ['/Type /Metadata', '/Subtype /XML'],
    )
    const xmp = Buffer.from(stream.contents).toString('utf8')
    assert.ok(bytes.includes(stream.contents))
    const stated = (tag: string) => new RegExp(`<${tag}>(?:<.*?>)*([^<]*)<`).exec(xmp)?.[1]
    const info = pdf.context.lookup(pdf.context.trailerInfo.Info, PDFDict)
    const hash = 'c0'.repeat(32)
    assert.deepEqual(
      info.entries().map(([key, value]) => `${key} ${value}`),
      [
        `/Title (${stated('dc:title')})`,
        `/Producer (${stated('pdf:Producer')})`,
        '/CreationDate (D:20000101000000Z)',
        '/ModDate (D:20000101000000Z)',
        `/Trapped /${stated('pdf:Trapped')}`,
        `/GTS_PDFXVersion (${stated('pdfxid:GTS_PDFXVersion')})`,
        `/PlatenContentHash (${stated('platen:ContentHash')})`,
      ],
    )
    assert.equal(stated('pdfxid:GTS_PDFXVersion'), 'PDF/X-4')
    assert.equal(stated('platen:ContentHash'), hash)
    assert.equal(stated('pdf:Trapped'), 'False')
    for (const date of ['CreateDate', 'ModifyDate', 'MetadataDate']) {
      assert.equal(stated(`xmp:${date}`), '2000-01-01T00:00:00Z')
    }
    assert.match(
      stated('xmpMM:DocumentID') ?? '',
      /^uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    assert.deepEqual([stated('xmpMM:VersionID'), stated('xmpMM:RenditionClass')], ['1', 'default'])
  }),
)

test(
  'there is one output intent, with the profile of an output device in the file',
  each(({ pdf }, what) => {
    const intents = pdf.catalog.lookup(name('OutputIntents'), PDFArray)
    assert.equal(intents.size(), 1)
    const intent = intents.lookup(0, PDFDict)
    assert.equal(intent.get(name('S')), name('GTS_PDFX'))
    assert.equal(String(intent.get(name('OutputConditionIdentifier'))), '(Custom)')
    assert.ok(intent.has(name('Info')))
    const stream = streamAt(intent, 'DestOutputProfile')
    const profile = unpacked(stream)
    const isPress = what === 'a press profile'
    assert.ok(profile.equals(isPress ? cmyk : SRGB_OUTPUT_PROFILE))
    assert.equal(readProfile(profile)?.deviceClass, 'prtr')
    assert.equal(stream.dict.lookup(name('N'), PDFNumber).asNumber(), isPress ? 4 : 3)
  }),
)

test('a profile with another hash than stated prevents the print file', async () => {
  const profile = { ...jobImage(put(cmyk)), sha256: 'ab'.repeat(32) }
  const outDir = join(dir, 'forged')
  mkdirSync(outDir)
  await assert.rejects(renderer.print({ ...postcard({ front: [] }), outputProfile: profile }, outDir), RenderFailed)
})

test(
  'every page has the required boxes, nested correctly, and no other boxes',
  each(({ pdf }) => {
    for (const page of pdf.getPages()) {
      const [media, bleed, trim] = ['MediaBox', 'BleedBox', 'TrimBox'].map((box) =>
        page.node
          .lookup(name(box), PDFArray)
          .asArray()
          .map((value) => (value as PDFNumber).asNumber()),
      ) as [number[], number[], number[]]
      for (const [inner, outer] of [
        [trim, bleed],
        [bleed, media],
      ] as const) {
        const [a = 0, b = 0, c = 0, d = 0] = inner
        const [e = 0, f = 0, g = 0, h = 0] = outer
        assert.ok(e <= a && f <= b && c <= g && d <= h && a < c && b < d)
      }
      for (const box of ['CropBox', 'ArtBox', 'UserUnit']) assert.equal(page.node.has(name(box)), false)
    }
  }),
)

test(
  'every colour is defined: RGB is sRGB in all content, and no operator uses another device colour space',
  each((file) => {
    let resourced = 0
    for (const dict of dictsOf(file)) {
      const resources = dict.lookupMaybe(name('Resources'), PDFDict)
      if (resources === undefined) continue
      resourced += 1
      const spaces = resources.lookup(name('ColorSpace'), PDFDict)
      assert.ok(profileOf(spaces.lookup(name('DefaultRGB'))).equals(SRGB_PROFILE))
    }
    assert.ok(resourced >= file.pdf.getPageCount())
    for (const content of file.contents) {
      // These operators select grey or CMYK of the device, or a named colour space.
      assert.doesNotMatch(content, /(^|\s)(g|G|k|K|cs|CS)(\s|$)/)
    }
  }),
)

test(
  'every image has a profile, which is in the file once; only masks are plain grey',
  each((file, what) => {
    const images = file.objects
      .filter((object) => object instanceof PDFRawStream)
      .filter(({ dict }) => dict.get(name('Subtype')) === name('Image'))
    const masks = new Set(images.map(({ dict }) => dict.lookup(name('SMask'))).filter((mask) => mask !== undefined))
    const colors = images.filter((image) => !masks.has(image))
    const profiles = colors.map(({ dict }) => profileOf(dict.lookup(name('ColorSpace'))))
    const hasImages = what === 'everything' || what === 'a press profile'
    assert.deepEqual([colors.length, masks.size], hasImages ? [6, 1] : [0, 0])
    for (const mask of masks) assert.equal((mask as PDFRawStream).dict.get(name('ColorSpace')), name('DeviceGray'))
    if (!hasImages) return
    assert.ok(profiles.some((profile) => profile.equals(GRAY_PROFILE)))
    const wide = profiles.filter((profile) => readProfile(profile)?.description === 'sP3C')
    assert.equal(wide.length, 2)
    const copies = file.objects.filter(
      (object) => object instanceof PDFRawStream && unpacked(object).equals(wide[0] ?? object.contents),
    )
    assert.equal(copies.length, 1)
  }),
)

test(
  'only pages with transparency blend in sRGB',
  each(({ pdf }, what) => {
    const groups = pdf.getPages().map(({ node }) => node.lookupMaybe(name('Group'), PDFDict))
    const isTransparent = what === 'everything' || what === 'a press profile'
    assert.deepEqual(
      groups.map((group) => group !== undefined),
      groups.map((_, index) => isTransparent && index === 0),
    )
    for (const group of groups) {
      if (group === undefined) continue
      assert.equal(group.get(name('S')), name('Transparency'))
      assert.ok(profileOf(group.lookup(name('CS'))).equals(SRGB_PROFILE))
    }
  }),
)

test(
  'every font is embedded as a subset and maps its glyphs to characters',
  each((file, what) => {
    const dicts = dictsOf(file)
    const fonts = dicts.filter((dict) => dict.get(name('Type')) === name('Font'))
    assert.equal(fonts.length > 0, what === 'everything' || what === 'a press profile')
    for (const font of fonts) {
      switch (font.get(name('Subtype'))) {
        case name('Type0'):
          assert.ok(font.lookup(name('ToUnicode')) instanceof PDFRawStream)
          break
        case name('CIDFontType2'): {
          const descriptor = font.lookup(name('FontDescriptor'), PDFDict)
          assert.ok(descriptor.lookup(name('FontFile2')) instanceof PDFRawStream)
          assert.match(String(descriptor.get(name('FontName'))), /^\/[A-Z]{6}\+/)
          assert.equal(font.get(name('CIDToGIDMap')), name('Identity'))
          break
        }
        default:
          assert.fail(`a font of another kind: ${font.get(name('Subtype'))}`)
      }
    }
  }),
)

test(
  'an independent reader opens every page',
  each(async ({ bytes, pdf }, what) => {
    const open = await openPdf(bytes)
    assert.equal(open.pageCount, pdf.getPageCount())
    const box = { x: 0, y: 0, width: 314.6, height: 436.5 }
    const { data } = open.rasterize(0, box, { widthPx: 31, heightPx: 43 })
    open.close()
    assert.equal(
      data.some((value) => value !== 0xff),
      what !== 'blank pages' && what !== 'twenty areas',
    )
  }),
)

test(
  'the file does not depend on the computer or the time',
  each(({ bytes }) => {
    const year = String(new Date().getUTCFullYear())
    assert.ok(!bytes.includes(dir))
    assert.doesNotMatch(bytes.toString('latin1'), new RegExp(`D:${year}|${year}-\\d\\d-\\d\\dT`))
  }),
)
