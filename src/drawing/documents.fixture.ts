import fc from 'fast-check'
import type { DesignDocument, PrintArea } from './document/design-document.ts'
import type { Layer } from './document/layer-types.ts'
import { a6, faultsOf, imageLayer, qrLayer, shapeLayer, textLayer } from './factory.ts'

/** Generators of test documents, with ordinary layers as customers make them and with extreme layers. */

/** Generates lengths in millimetres that are whole micrometres. */
export const mm = (min: number, max: number) =>
  fc.integer({ min: Math.round(min * 1000), max: Math.round(max * 1000) }).map((micrometres) => micrometres / 1000)

/** The images that generated layers name, by id. Generated layers also name the id `gone`, which has no image. */
export const GENERATED_ASSETS = new Map([
  ['photo', { widthPx: 900, heightPx: 700 }],
  ['large', { widthPx: 6000, heightPx: 4000 }],
  ['dot', { widthPx: 1, heightPx: 1 }],
])

const color = fc.constantFrom('#000000', '#FFEE00', '#333333', '#FFFFFF', '#33669980', '#00000000')

const place = {
  x: fc.oneof({ weight: 5, arbitrary: mm(-60, 130) }, fc.constantFrom(-3, 0, 4, 10_000, -10_000)),
  y: fc.oneof({ weight: 5, arbitrary: mm(-60, 170) }, fc.constantFrom(-3, 0, 4, 10_000, -10_000)),
  width: fc.oneof({ weight: 5, arbitrary: mm(1, 120) }, mm(0.001, 0.2), fc.constantFrom(60, 105, 111, 10_000)),
  height: fc.oneof({ weight: 5, arbitrary: mm(1, 160) }, mm(0.001, 0.2), fc.constantFrom(60, 148, 154, 10_000)),
  rotation: fc.constantFrom(0, 0, 0, 0, 90, 180, -90, 270, 360, 15, 45, -123.4),
  opacity: fc.constantFrom(1, 1, 1, 0.2, 0),
}

const texts = fc
  .record({
    ...place,
    text: fc.constantFrom(
      'Hello',
      'A longer text that wraps over some lines',
      'Dear {{name}}',
      'مرحبا بالعالم',
      'नमस्ते \u{10FFFD}',
      'W\n\n\nW',
      '',
    ),
    fontFamily: fc.constantFrom('Inter', 'Inter', 'Noto Sans Devanagari', 'Papyrus'),
    fontSizePt: fc.oneof(fc.integer({ min: 2, max: 60 }), fc.constantFrom(0.1, 3.999, 6.5, 400, 10_000)),
    align: fc.constantFrom('left', 'center', 'right', 'justify'),
    verticalAlign: fc.constantFrom('top', 'middle', 'bottom'),
    lineHeight: fc.constantFrom(1.2, 1.2, 0.1, 3),
    letterSpacing: fc.constantFrom(0, 0, -1, 2),
  })
  .map(textLayer)

const images = fc
  .record({
    ...place,
    assetId: fc.constantFrom('photo', 'photo', 'large', 'dot', 'gone'),
    fit: fc.constantFrom('cover', 'contain', 'stretch'),
    flipX: fc.boolean(),
    crop: fc.constantFrom({ x: 0, y: 0, width: 1, height: 1 }, { x: 0.25, y: 0.5, width: 0.5, height: 1e-9 }),
  })
  .map(imageLayer)

const paths = ['M0 0H30V20z', 'M0 0H', '', 'M-5-5A10 10 0 1 1 0-10z', 'm0 0', 'M0 0A0 0 0 0 0 9 9', 'M1e6 0L-1e6 1e6']

const shapes = fc
  .record({
    ...place,
    shape: fc.constantFrom('rect', 'rect', 'ellipse', 'line', 'path'),
    path: fc.constantFrom(...paths),
    fill: color,
    cornerRadius: fc.constantFrom(0, 3, 10_000),
    stroke: fc.record({
      color,
      widthMm: fc.oneof(mm(0.01, 2), fc.constantFrom(0.001, 100)),
      dashMm: fc.constantFrom<number[][]>([1], [0, 2]),
    }),
    stroked: fc.boolean(),
  })
  .map(({ stroked, ...fields }) => {
    const layer = shapeLayer(fields)
    if (!stroked) delete layer.stroke
    return layer
  })

const codes = fc
  .record({
    ...place,
    value: fc.constantFrom('a', '{{code}}', 'https://example.org/some/longer/address', 'x'.repeat(1500)),
    errorCorrection: fc.constantFrom('L', 'M', 'H'),
    color,
    background: color,
  })
  .map(qrLayer)

/** Generates one layer of any type. Most of these layers lie on or near an A6 card. */
export const generatedLayers: fc.Arbitrary<Layer> = fc.oneof(texts, images, shapes, codes)

/** Generates print areas: the A6 card, round and oval areas, and tiny areas, with and without bleed. */
export const generatedAreas: fc.Arbitrary<PrintArea> = fc.constantFrom(
  a6,
  { ...a6, bleedMm: 0, safeMarginMm: 0 },
  { ...a6, widthMm: 60, heightMm: 60, shape: 'ellipse' as const },
  { ...a6, shape: 'ellipse' as const, cutPath: 'spot' as const },
  { ...a6, shape: 'ellipse' as const, bleedMm: 0 },
  { ...a6, widthMm: 200, heightMm: 12, shape: 'ellipse' as const, minDpi: 250 },
  { ...a6, widthMm: 2, heightMm: 3, safeMarginMm: 0.9, bleedMm: 100 },
  { ...a6, widthMm: 420, heightMm: 594, targetDpi: 2, minDpi: 2 },
)

/** Generates one or two print areas and a document for them. */
export const generatedDesigns = fc
  .record({
    areas: fc.array(generatedAreas, { minLength: 1, maxLength: 2 }),
    layers: fc.array(fc.array(generatedLayers, { maxLength: 4 }), { minLength: 2, maxLength: 2 }),
  })
  .map(({ areas, layers }) => {
    const printAreas = areas.map((area, i) => ({ ...area, id: `area-${i}` }))
    const placements = printAreas.map(({ id }, p) => ({
      printAreaId: id,
      layers: (layers[p] ?? []).map((layer, l) => ({ ...layer, id: `${id}-${l}` })),
    }))
    const document: DesignDocument = { version: 1, placements }
    return { printAreas, document }
  })
  // Rejects documents with faults, such as ten metres of stroke in dashes of one millimetre, which exceed the limit.
  .filter(({ document }) => faultsOf(document).length === 0)
