import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkDocument } from '../check-document.ts'
import type { DesignDocument, Layer } from '../document.ts'
import { a6, documentOf, fonts, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import type { JsonPatch, PreflightIssue } from './issue.ts'
import { preflight } from './preflight.ts'

function check(document: DesignDocument): PreflightIssue[] {
  return preflight({
    document,
    product: { status: 'active', printAreas: [a6] },
    assets: new Map([['photo', { widthPx: 900, heightPx: 700 }]]),
    fonts,
  }).issues
}

// RFC 6902, as far as fixes use it: `replace` needs a value that is there.
function patched(document: DesignDocument, patch: JsonPatch): DesignDocument {
  const copy = structuredClone(document)
  for (const { path, value } of patch) {
    const keys = path.split('/').slice(1)
    const last = keys.pop() ?? ''
    const target = keys.reduce<Record<string, unknown>>(
      (at, key) => at[key] as Record<string, unknown>,
      copy as unknown as Record<string, unknown>,
    )
    assert.ok(Object.hasOwn(target, last), path)
    target[last] = value
  }
  return copy
}

const mm = (min: number, max: number) =>
  fc.integer({ min: min * 1000, max: max * 1000 }).map((micrometres) => micrometres / 1000)

const place = {
  x: mm(-60, 130),
  y: mm(-60, 170),
  width: mm(1, 120),
  height: mm(1, 160),
  rotation: fc.constantFrom(0, 0, 0, 90, 180, -90, 15, 45),
  opacity: fc.constantFrom(1, 1, 0.2),
}

const texts = fc
  .record({
    ...place,
    text: fc.constantFrom('Hello', 'A longer text that wraps over some lines', 'مرحبا بالعالم', 'नमस्ते 東京', ''),
    fontFamily: fc.constantFrom('Inter', 'Noto Sans Devanagari', 'Papyrus'),
    fontSizePt: fc.integer({ min: 2, max: 60 }),
    align: fc.constantFrom('left', 'center', 'right', 'justify'),
    verticalAlign: fc.constantFrom('top', 'middle', 'bottom'),
  })
  .map(textLayer)
const images = fc
  .record({
    ...place,
    assetId: fc.constantFrom('photo', 'photo', 'gone'),
    fit: fc.constantFrom('cover', 'contain', 'stretch'),
  })
  .map(imageLayer)
const shapes = fc
  .record({
    ...place,
    shape: fc.constantFrom('rect', 'ellipse', 'line', 'path'),
    path: fc.constantFrom('M0 0H30V20z', 'M0 0H'),
    stroke: fc.record({ color: fc.constant('#000000'), widthMm: mm(0.01, 2) }),
  })
  .map(shapeLayer)
const qrs = fc
  .record({
    ...place,
    value: fc.constantFrom('a', 'https://example.org/some/longer/address', 'x'.repeat(1500)),
    errorCorrection: fc.constantFrom('L', 'H'),
    color: fc.constantFrom('#000000', '#FFEE00'),
    background: fc.constantFrom('#FFFFFF', '#00000000', '#333333'),
  })
  .map(qrLayer)

const layers: fc.Arbitrary<Layer> = fc.oneof(texts, images, shapes, qrs)

test('every fix resolves its issue, raises no other and leaves the document valid', () => {
  const offered = new Set<string>()
  fc.assert(
    fc.property(layers, (layer) => {
      const document = documentOf(layer)
      const before = check(document)
      for (const issue of before) {
        if (issue.fix === undefined) continue
        offered.add(issue.code)
        const fixed = patched(document, issue.fix)
        assert.deepEqual(checkDocument(fixed), [])
        const after = check(fixed)
        assert.ok(!after.some(({ code }) => code === issue.code), `${issue.code} is still there`)
        for (const { code, severity } of after) {
          assert.ok(
            before.some((known) => known.code === code && known.severity === severity),
            `fixing ${issue.code} raised ${severity} ${code}`,
          )
        }
      }
    }),
    { numRuns: 1_000 },
  )
  for (const code of FIXABLE) assert.ok(offered.has(code), `a fix was offered for ${code}`)
})

const FIXABLE = [
  'bleed_missing',
  'font_unknown',
  'image_resolution_low',
  'layer_outside_print_area',
  'line_too_thin',
  'outside_safe_area',
  'qr_contrast_low',
  'qr_too_small',
  'qr_value_too_long',
  'text_overflow',
  'text_too_small',
]
