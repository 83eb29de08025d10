import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import type { LayerInput } from '../document/layer-types.ts'
import { normalizeDocument } from '../document/normalize.ts'
import { type DesignDocumentInput, DesignDocumentSchema } from '../document/schema/design-document.ts'
import { DOCUMENT_LIMITS } from '../document/schema/limits.ts'
import { generatedAreas } from '../documents.fixture.ts'
import { a6, documentOf, faultsOf, fonts, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import { preflight } from './preflight.ts'

// Extreme values that the schema accepts.
const { sizeMm } = DOCUMENT_LIMITS
const position = fc.oneof(
  fc.constantFrom(-sizeMm, -0, 0, sizeMm, 5e-324, 0.1 + 0.2),
  fc.double({ min: -sizeMm, max: sizeMm, noNaN: true }),
)
const size = fc.oneof(fc.constantFrom(5e-324, 1e-9, 0.001, sizeMm), fc.double({ min: 1e-6, max: sizeMm, noNaN: true }))
const extent = fc.oneof(fc.constant(0), size)
const fraction = fc.oneof(fc.constantFrom(0, 1, 5e-324), fc.double({ min: 0, max: 1, noNaN: true }))
const color = fc.constantFrom('#000000', '#ffffffff', '#12345600')
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }).filter((value) => !value.includes('\0')),
  fc.constantFrom(
    '{{',
    '{{a}}{{',
    '\u2028\u200d\u0300',
    '\u202e\u2066'.repeat(99),
    'ﷺ'.repeat(40),
    '👩‍👩‍👧‍👧 \u{e0041}',
    'a'.repeat(3_000),
  ),
)
const place = {
  x: position,
  y: position,
  rotation: fc.oneof(fc.constantFrom(-360, -0, 360, 1e-300), fc.double({ min: -360, max: 360, noNaN: true })),
  opacity: fraction,
}
const box = { width: size, height: size }
const pathSoup = fc.array(
  fc.constantFrom(...'MmLlHhVvCcSsQqTtAaZz0123456789.,-+eE \n', '1e999', '1e-999', 'NaN', '𝟙'),
  { maxLength: 80 },
)

const layer: fc.Arbitrary<Omit<LayerInput, 'id'>> = fc.oneof(
  fc.record(
    {
      type: fc.constant('text' as const),
      ...place,
      ...box,
      text,
      fontFamily: fc.constantFrom('Inter', 'Noto Sans Arabic', '__proto__', 'é'),
      fontSizePt: fc.constantFrom(0.1, 7, 10_000, Number.MIN_VALUE + 0.1),
      fontWeight: fc.constantFrom(100, 900),
      align: fc.constantFrom('left', 'justify'),
      lineHeight: fc.constantFrom(0.1, 10),
      letterSpacing: fc.constantFrom(-1, 0, 10),
    },
    { requiredKeys: ['type', 'x', 'y', 'width', 'height', 'text', 'fontFamily', 'fontSizePt'] },
  ),
  fc.record(
    {
      type: fc.constant('image' as const),
      ...place,
      ...box,
      assetId: fc.constantFrom('a', 'tiny', 'constructor'),
      fit: fc.constantFrom('cover', 'contain', 'stretch'),
      crop: fc.record({
        x: fraction,
        y: fraction,
        width: size.map((mm) => mm / sizeMm).filter((share) => share > 0),
        height: fc.constantFrom(1, 5e-324),
      }),
    },
    { requiredKeys: ['type', 'x', 'y', 'width', 'height', 'assetId'] },
  ),
  fc.record(
    {
      type: fc.constant('shape' as const),
      ...place,
      width: extent,
      height: extent,
      shape: fc.constantFrom('rect', 'ellipse', 'line', 'path'),
      cornerRadius: fc.constantFrom(0, sizeMm),
      path: pathSoup.map((characters) => `M0 0${characters.join('')}`),
      fill: color,
      stroke: fc.record({
        color,
        widthMm: fc.constantFrom(5e-324, 1_000),
        dashMm: fc.constantFrom([0], [5e-324], [1_000, 0]),
      }),
    },
    { requiredKeys: ['type', 'x', 'y', 'width', 'height', 'shape'] },
  ),
  fc.record(
    {
      type: fc.constant('qr' as const),
      ...place,
      ...box,
      value: text.filter((value) => value !== ''),
      errorCorrection: fc.constantFrom('L', 'H'),
      color,
      background: color,
    },
    { requiredKeys: ['type', 'x', 'y', 'width', 'height', 'value'] },
  ),
) as fc.Arbitrary<Omit<LayerInput, 'id'>>

const documents = fc.array(layer, { maxLength: 3 }).map((layers): DesignDocumentInput => {
  const named = layers.map((fields, i) => ({ ...fields, id: `l${i}` }) as LayerInput)
  return { version: 1, placements: [{ printAreaId: a6.id, layers: named }] }
})

const assets = new Map([
  ['a', { widthPx: 30_000, heightPx: 1 }],
  ['tiny', { widthPx: 1, heightPx: 1 }],
])

test('every document that the schema accepts gets a report, which JSON can represent', () => {
  fc.assert(
    fc.property(documents, generatedAreas, (document, area) => {
      assert.ok(
        Value.Check(DesignDocumentSchema, document),
        JSON.stringify(Value.Errors(DesignDocumentSchema, document)),
      )
      const product = { status: 'active', printAreas: [{ ...area, id: a6.id }] }
      const report = preflight({ document: normalizeDocument(document), product, assets, fonts, data: { a: 'b' } })
      for (const { measured = 0, limit = 0, pointer, fix = [] } of report.issues) {
        assert.ok(Number.isFinite(measured) && Number.isFinite(limit))
        assert.match(pointer, /^(\/placements(\/|$)|$)/)
        assert.deepEqual(JSON.parse(JSON.stringify(fix)), fix)
      }
    }),
    { numRuns: 150 },
  )
})

test('numbers that JSON cannot hold are reported with their pointer, in every type of layer', () => {
  const bad = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  fc.assert(
    fc.property(
      documents,
      fc.constantFrom(...bad),
      fc.constantFrom('x', 'width', 'rotation', 'opacity'),
      (document, value, field) => {
        const [placement] = document.placements
        const layers = (placement?.layers ?? []).map((each) => ({ ...each, [field]: value }))
        const broken = normalizeDocument({ version: 1, placements: [{ printAreaId: a6.id, layers }] })
        const { issues } = preflight({
          document: broken,
          product: { status: 'active', printAreas: [a6] },
          assets,
          fonts,
        })
        const places = issues.filter(({ code }) => code === 'number_not_finite').map(({ pointer }) => pointer)
        for (const i of layers.keys()) assert.ok(places.includes(`/placements/0/layers/${i}/${field}`))
      },
    ),
    { numRuns: 50 },
  )
})

test('a layer without a size has no other issues, because it cannot be measured', () => {
  const nothing = { x: 50, y: 50, width: 0, height: 0 }
  const layers = [
    { ...textLayer({ id: 'a', fontSizePt: 2 }), ...nothing },
    { ...qrLayer({ id: 'b' }), ...nothing },
    { ...shapeLayer({ id: 'c', shape: 'line', stroke: { color: '#000000', widthMm: 0.01 } }), ...nothing },
  ]
  const { issues } = preflight({
    document: documentOf(...layers),
    product: { status: 'active', printAreas: [a6] },
    assets,
    fonts,
  })
  assert.deepEqual(new Set(issues.map(({ code }) => code)), new Set(['size_not_positive']))
})

/** Returns a font book that counts the characters it shapes. */
function countingFonts(): { fonts: FontBook; shaped: () => number } {
  let shaped = 0
  const counting: FontBook = {
    families: fonts.families,
    facesFor: (request) => fonts.facesFor(request),
    shape(run) {
      shaped += run.text.length
      return fonts.shape(run)
    },
  }
  return { fonts: counting, shaped: () => shaped }
}

const LONG = DOCUMENT_LIMITS.textLength
const textFields = { type: 'text', x: 80, y: 140, fontFamily: 'Nowhere', fontSizePt: 30, width: 9, height: 3 } as const
for (const [what, text] of Object.entries({
  words: 'lorem ipsum '.repeat(LONG / 12),
  'one word': 'x'.repeat(LONG),
  'marks on one letter': `a${'\u0301'.repeat(LONG - 1)}`,
  'changes of direction': 'aب'.repeat(LONG / 2),
  'line ends': 'a\n'.repeat(LONG / 2),
  'characters that no font has': '\u{10FFFD}'.repeat(LONG / 2),
})) {
  test(`two texts of ten thousand characters are checked with bounded effort: ${what}`, () => {
    const layers = ['a', 'b'].map((id) => ({ id, text, ...textFields }))
    const document = normalizeDocument({ version: 1, placements: [{ printAreaId: a6.id, layers }] })
    assert.deepEqual(faultsOf(document), [])
    const { fonts: counting, shaped } = countingFonts()
    const { issues } = preflight({ document, product: { status: 'active', printAreas: [a6] }, assets, fonts: counting })
    assert.ok(issues.some(({ code }) => code === 'text_overflow' || code === 'glyphs_missing'))
    // Each character is shaped a few times: once or twice for the layout, and as often for each fix that is tried.
    assert.ok(shaped() <= 30 * 2 * LONG, `${shaped()}`)
  })
}

test('a long path is parsed once for a report, and its shape is checked', () => {
  const path = `M0 0${'q1 2 3 4'.repeat(8_000)}`
  assert.ok(path.length < DOCUMENT_LIMITS.pathLength)
  const layers = [
    { id: 'p', type: 'shape', shape: 'path', x: 0, y: 0, width: 1, height: 1, path, fill: '#000000' } as const,
  ]
  const document = normalizeDocument({ version: 1, placements: [{ printAreaId: a6.id, layers }] })
  const { issues } = preflight({ document, product: { status: 'active', printAreas: [a6] }, assets, fonts })
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['bleed_missing'],
  )
})

test('checking the layers below codes has bounded effort, however many shapes need a fix', () => {
  let looks = 0
  const ellipses = Array.from({ length: 150 }, (_, i) => {
    const shape = shapeLayer({ id: `e${i}`, shape: 'ellipse', x: 0, y: 0, width: 100, height: 140, rotation: i })
    const looked = { get: () => `#${(looks++ % 900) + 100}00080`, enumerable: true }
    return Object.defineProperty(shape, 'fill', looked)
  })
  const codes = Array.from({ length: 50 }, (_, i) =>
    qrLayer({ id: `q${i}`, x: 40, y: 40, background: '#FFFFFF01', color: '#88888880', rotation: 30 }),
  )
  const document = documentOf(...ellipses, ...codes)
  const { issues } = preflight({ document, product: { status: 'active', printAreas: [a6] }, assets, fonts })
  assert.ok(
    issues.some(({ code }) => code === 'bleed_missing') && issues.some(({ code }) => code === 'qr_contrast_low'),
  )
  assert.ok(looks < 150_000, `${looks}`)
})

test('the number of remedies that are tried for a shape with thousands of corners is bounded', () => {
  const corners = Array.from({ length: 4_000 }, (_, i) => {
    const angle = (i / 4_000) * 2 * Math.PI
    return `${(60 + 60 * Math.cos(angle)).toFixed(4)} ${(60 + 60 * Math.sin(angle)).toFixed(4)}`
  })
  const path = (id: string, x: number) =>
    shapeLayer({ id, shape: 'path', x, y: -1, path: `M${corners.slice(0, 3_000).join('L')}Z` })
  const document = documentOf(path('a', 300), path('b', 400), path('c', 500), path('d', 600))
  const printAreas = [{ ...a6, widthMm: 150, shape: 'ellipse' as const }]
  const { issues } = preflight({ document, product: { status: 'active', printAreas }, assets, fonts })
  const fixed = issues.map(({ code, fix }) => code === 'layer_outside_print_area' && fix !== undefined)
  assert.deepEqual([issues.length, fixed[0], fixed[3]], [4, true, false])
})
