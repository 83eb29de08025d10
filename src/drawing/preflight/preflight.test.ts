import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreflightIssue } from '../checks/issue.ts'
import type { DesignDocument, PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import { normalizeDocument } from '../document/normalize.ts'
import { a6, documentOf, fonts, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import { ptToMm } from '../shapes/units.ts'
import { layoutText } from '../text/layout.ts'
import { type PreflightInput, preflight } from './preflight.ts'

function check(document: DesignDocument, input: Partial<PreflightInput> = {}) {
  return preflight({
    document,
    product: { status: 'active', printAreas: [a6] },
    assets: new Map([['photo', { widthPx: 1240, heightPx: 1748 }]]),
    fonts,
    ...input,
  })
}

function issuesOf(layer: Layer, area: Partial<PrintArea> = {}): PreflightIssue[] {
  return check(documentOf(layer), { product: { status: 'active', printAreas: [{ ...a6, ...area }] } }).issues
}

function found(layer: Layer, area: Partial<PrintArea> = {}): string[] {
  return issuesOf(layer, area).map(({ severity, code }) => `${severity} ${code}`)
}

test('a valid design has no issues', () => {
  const background = shapeLayer({ id: 'bg', x: -3, y: -3, width: 111, height: 154 })
  const photo = imageLayer({ x: 10, y: 60, width: 80, height: 60 })
  assert.deepEqual(check(documentOf(background, photo, textLayer(), qrLayer())), { ok: true, issues: [] })
})

test('an issue states its pointer, the measured value, its limit and the fix', () => {
  const [issue] = check(documentOf(shapeLayer(), textLayer({ fontSizePt: 6 }))).issues
  assert.deepEqual(issue, {
    code: 'text_too_small',
    severity: 'warning',
    pointer: '/placements/0/layers/1/fontSizePt',
    message: 'Text of 6 pt is hard to read; use 7 pt or more.',
    measured: 6,
    limit: 7,
    unit: 'pt',
    fix: [{ op: 'replace', path: '/placements/0/layers/1/fontSizePt', value: 7 }],
  })
})

test('image_resolution_low: the whole pixels for the target are enough, one fewer is a warning, less than half is an error', () => {
  // 84.667 mm at 300 dpi are 1,000 px.
  const photo = (widthPx: number, fields = {}) =>
    check(documentOf(imageLayer({ x: 10, y: 10, width: 84.667, height: 84.667, ...fields })), {
      assets: new Map([['photo', { widthPx, heightPx: widthPx }]]),
    }).issues.map(({ severity, code, limit }) => `${severity} ${code} ${limit}`)
  assert.deepEqual(photo(1000), [])
  assert.deepEqual(photo(999), ['warning image_resolution_low 300'])
  assert.deepEqual(photo(500), ['warning image_resolution_low 300'])
  assert.deepEqual(photo(499), ['error image_resolution_low 150'])
  assert.deepEqual(photo(2000, { crop: { x: 0.5, y: 0.25, width: 0.5, height: 0.5 } }), [])
  assert.deepEqual(photo(1000, { crop: { x: 0, y: 0, width: 0.5, height: 1 } }), ['warning image_resolution_low 300'])
  assert.deepEqual(
    photo(1000, { rotation: 45 }).filter((issue) => issue.includes('resolution')),
    [],
  )
})

test('image_resolution_low: the minimum resolution of a print area replaces half of the target', () => {
  // On 84.667 mm, 1,000 px are 300 dpi, 800 px are 240 dpi, and 799 px are 239.7 dpi.
  const photo = (widthPx: number, minDpi: number) =>
    check(documentOf(imageLayer({ x: 10, y: 10, width: 84.667, height: 84.667 })), {
      assets: new Map([['photo', { widthPx, heightPx: widthPx }]]),
      product: { status: 'active', printAreas: [{ ...a6, minDpi }] },
    }).issues.map(({ severity, limit, measured }) => `${severity} ${measured} of ${limit}`)
  assert.deepEqual(photo(800, 240), ['warning 240 of 300'])
  assert.deepEqual(photo(799, 240), ['error 239.7 of 240'])
  assert.deepEqual(photo(400, 20), ['warning 120 of 300'])
  assert.deepEqual(photo(999, 300), ['error 299.7 of 300'])
  assert.deepEqual(photo(1000, 300), [])
})

test('image_resolution_low: flips and rotations do not matter, and an uneven stretch counts with its lower resolution', () => {
  const photo = (fields: object) =>
    check(documentOf(imageLayer({ x: 10, y: 10, width: 84.667, height: 42.333, ...fields })), {
      assets: new Map([['photo', { widthPx: 1000, heightPx: 250 }]]),
    }).issues.find(({ code }) => code === 'image_resolution_low')?.measured
  assert.equal(photo({ fit: 'stretch' }), 150)
  assert.equal(photo({ fit: 'stretch', flipX: true, flipY: true }), 150)
  assert.equal(photo({ fit: 'stretch', rotation: 90 }), 150)
  assert.equal(photo({ fit: 'contain' }), undefined)
  assert.equal(photo({ fit: 'cover', crop: { x: 0, y: 0, width: 0.25, height: 1 } }), 75)
})

test('image_resolution_low: a crop too small to be measured is an error', () => {
  for (const width of [5e-324, 1e-310, 1e-300, 1e-9]) {
    const [issue] = issuesOf(imageLayer({ crop: { x: 0, y: 0, width, height: 1 } }))
    assert.deepEqual([issue?.code, issue?.severity], ['image_resolution_low', 'error'], `${width}`)
    assert.ok(Number.isFinite(issue?.measured), `${width}`)
    const [small] = issuesOf(imageLayer({ width: 0.04, height: 0.04, crop: { x: 0, y: 0, width, height: 1 } }))
    assert.equal(small?.severity, 'error', `${width} in a small box`)
  }
})

test('image_resolution_low: the fit decides how many pixels are printed', () => {
  const assets = new Map([['photo', { widthPx: 1000, heightPx: 500 }]])
  const dpi = (fit: 'cover' | 'contain' | 'stretch') =>
    check(documentOf(imageLayer({ x: 10, y: 10, width: 84.667, height: 84.667, fit })), { assets }).issues[0]?.measured
  assert.equal(dpi('contain'), undefined)
  assert.equal(dpi('cover'), 150)
  assert.equal(dpi('stretch'), 150)
})

test('text_too_small: less than 7 pt is a warning, less than 4 pt an error', () => {
  assert.deepEqual(found(textLayer({ fontSizePt: 7 })), [])
  assert.deepEqual(found(textLayer({ fontSizePt: 6.99 })), ['warning text_too_small'])
  assert.deepEqual(found(textLayer({ fontSizePt: 4 })), ['warning text_too_small'])
  assert.deepEqual(found(textLayer({ fontSizePt: 3.99 })), ['error text_too_small'])
})

test('outside_safe_area: a text beyond the margin is a warning, beyond the trim edge an error, independent of its box', () => {
  const at = (x: number) => found(textLayer({ x, width: 20 }))
  assert.deepEqual(at(4), [])
  assert.deepEqual(at(3.999), ['warning outside_safe_area'])
  assert.deepEqual(at(0), ['warning outside_safe_area'])
  assert.deepEqual(at(-0.001), ['error outside_safe_area'])
  assert.deepEqual(found(textLayer({ x: 20, width: 200 })), [], 'the box is wider than the card, its text is not')
  assert.deepEqual(found(textLayer({ x: 20, width: 200, align: 'right' })), ['error outside_safe_area'])
})

test('outside_safe_area: the whole box of a QR code must keep the margin, also its rotated corners', () => {
  assert.deepEqual(found(qrLayer({ x: 4, y: 4 })), [])
  assert.deepEqual(found(qrLayer({ x: 3.9, y: 4 })), ['warning outside_safe_area'])
  assert.deepEqual(found(qrLayer({ x: 4, y: 4, rotation: 10 })), ['warning outside_safe_area'])
})

test('layer_outside_print_area: only when no part lies in the bleed box', () => {
  assert.deepEqual(found(shapeLayer({ x: 108 })), ['error layer_outside_print_area'])
  assert.deepEqual(found(shapeLayer({ x: 107.999 })), [])
  assert.deepEqual(found(shapeLayer({ x: -43, y: 20 })), ['error layer_outside_print_area'])
  assert.deepEqual(found(textLayer({ x: 20, y: 160 })), ['error layer_outside_print_area'])
  // The bounds of the shape reach the corner of the bleed box, but its area does not.
  const corner = shapeLayer({ x: 109, y: 152, width: 10, height: 10, rotation: 45 })
  assert.deepEqual(found(corner), ['error layer_outside_print_area'])
  assert.deepEqual(found(shapeLayer({ x: 109, stroke: { color: '#000000', widthMm: 3 } })), [])
})

test('layer_outside_print_area: a path is measured by what it draws, not by its box', () => {
  const path = (data: string) => found(shapeLayer({ shape: 'path', path: data, x: 20, y: 20 }))
  assert.deepEqual(path('M0 0H10V10z'), [])
  assert.deepEqual(path('M200 0H210V10z'), ['error layer_outside_print_area'])
})

test('text_overflow: a text exactly as high as its box fits, and a slightly higher one does not', () => {
  const layer = textLayer({ text: 'one two three four five', width: 20, height: 30 })
  const height = ptToMm(layoutText(layer, fonts).heightPt)
  const rounded = Math.ceil(height * 1000) / 1000
  assert.deepEqual(found({ ...layer, height: rounded }), [])
  const [issue] = issuesOf({ ...layer, height: rounded - 0.002 })
  assert.equal(issue?.code, 'text_overflow')
  assert.equal(issue?.measured, Number(height.toFixed(3)))
  assert.equal(issue?.limit, rounded - 0.002)
})

test('text_overflow: a letter that is wider than its box', () => {
  assert.ok(found(textLayer({ text: 'W', width: 1 })).includes('error text_overflow'))
})

test('glyphs_missing names the characters, and font_unknown and asset_missing point to the reference', () => {
  const [glyphs] = issuesOf(textLayer({ text: 'Cairo 𓀀 𓀁' }))
  assert.equal(glyphs?.code, 'glyphs_missing')
  assert.equal(glyphs?.pointer, '/placements/0/layers/0/text')
  assert.match(glyphs?.message ?? '', /𓀀 \(U\+13000\), 𓀁 \(U\+13001\)/)
  const [font] = issuesOf(textLayer({ fontFamily: 'Papyrus' }))
  assert.equal(font?.code, 'font_unknown')
  assert.equal(font?.severity, 'error')
  assert.deepEqual(font?.fix, [{ op: 'replace', path: '/placements/0/layers/0/fontFamily', value: 'Inter' }])
  const [asset] = issuesOf(imageLayer({ assetId: 'gone' }))
  assert.equal(asset?.code, 'asset_missing')
  assert.equal(asset?.pointer, '/placements/0/layers/0/assetId')
})

test('print_area_empty: required areas whose placement is missing, empty or blank, and no other areas', () => {
  const back = { ...a6, id: 'back', required: false }
  const product = { status: 'active', printAreas: [a6, back] }
  const pointers = (document: DesignDocument) =>
    check(document, { product }).issues.map(({ code, pointer }) => `${code} ${pointer}`)
  assert.deepEqual(pointers({ version: 1, placements: [] }), ['print_area_empty /placements'])
  assert.deepEqual(pointers(documentOf()), ['print_area_empty /placements/0/layers'])
  assert.deepEqual(pointers(documentOf(textLayer({ text: ' \n' }))), ['print_area_empty /placements/0/layers'])
  assert.deepEqual(pointers(documentOf(textLayer())), [])
  const unseen = [shapeLayer({ opacity: 0 }), textLayer({ color: '#00000000' }), shapeLayer({ shape: 'line' })]
  for (const layer of unseen) assert.ok(pointers(documentOf(layer)).includes('print_area_empty /placements/0/layers'))
})

test('print_area_empty: a layer that prints nothing does not fill an area, and one that prints a little does', () => {
  const isEmpty = (layer: Layer) => found(layer).includes('error print_area_empty')
  const stroke = { color: '#000000', widthMm: 1 }
  const path = (data: string) => shapeLayer({ shape: 'path', path: data, stroke })
  const dashed = (...dashMm: number[]) => shapeLayer({ shape: 'line', stroke: { ...stroke, dashMm } })
  const blanks = ['\u200b', '\u00ad\u2060', '\u3164', '\u0085\u0007', '\ufe0f', '\u{e0041}'].map((text) =>
    textLayer({ text }),
  )
  const nowhere = ['M0 0', 'M0 0z', 'M0 0L0 0', 'M1 1h0v0z', 'M1 1M5 5', 'M1 1C1 1 1 1 1 1', 'M0 0M5 5L5 5'].map(path)
  for (const layer of [...blanks, ...nowhere, dashed(0, 5), dashed(0, 5, 0, 2)]) {
    assert.ok(isEmpty(layer), JSON.stringify(layer))
  }
  const seen = ['M0 0H9', 'M5 5C9 5 5 9 5 5', 'M0 0z l9 0'].map(path)
  const dashes = [dashed(1, 5), dashed(0, 5, 1, 5), dashed(0, 5, 0), dashed(5), dashed(5, 0)]
  for (const layer of [textLayer({ text: '\u200b.' }), ...seen, ...dashes]) {
    assert.ok(!isEmpty(layer), JSON.stringify(layer))
  }
})

test('print_area_unknown: a placement for an area that the product does not have', () => {
  const document: DesignDocument = { version: 1, placements: [{ printAreaId: 'sleeve', layers: [textLayer()] }] }
  assert.deepEqual(
    check(document).issues.map(({ code, pointer }) => `${code} ${pointer}`),
    ['print_area_unknown /placements/0/printAreaId', 'print_area_empty /placements'],
  )
})

test('product_unavailable: an archived product or variant', () => {
  const document = documentOf(textLayer())
  const codes = (product: PreflightInput['product']) => check(document, { product }).issues.map(({ code }) => code)
  assert.deepEqual(codes({ status: 'archived', printAreas: [a6] }), ['product_unavailable'])
  assert.deepEqual(codes({ status: 'active', printAreas: [a6], variantAvailable: false }), ['product_unavailable'])
  assert.deepEqual(codes({ status: 'active', printAreas: [a6], variantAvailable: true }), [])
})

test('bleed_missing: a layer that touches the trim edge must reach the end of the bleed', () => {
  const at = (fields: object) => found(shapeLayer({ x: 20, y: 20, width: 20, height: 20, ...fields }))
  assert.deepEqual(at({ x: 0 }), ['warning bleed_missing'])
  assert.deepEqual(at({ x: 0.001 }), [])
  assert.deepEqual(at({ x: -2.999 }), ['warning bleed_missing'])
  assert.deepEqual(at({ x: -3 }), [])
  assert.deepEqual(at({ x: 85 }), ['warning bleed_missing'])
  assert.deepEqual(at({ y: 131 }), [])
  assert.deepEqual(at({ y: 130 }), ['warning bleed_missing'])
  // After a quarter turn, the long side lies along the trim edge.
  assert.deepEqual(at({ x: 75, width: 40, rotation: 90 }), ['warning bleed_missing'])
  assert.deepEqual(found(shapeLayer({ x: 0 }), { bleedMm: 0 }), [])
  const invisible = shapeLayer({ x: 0 })
  delete invisible.fill
  assert.deepEqual(found(invisible, { required: false }), [])
  assert.deepEqual(found(shapeLayer({ x: 0, fill: '#33669900' }), { required: false }), [])
  assert.deepEqual(found(shapeLayer({ x: 0, opacity: 0 }), { required: false }), [])
})

test('bleed_missing: only the visible part of an image must reach the end of the bleed', () => {
  const assets = new Map([['photo', { widthPx: 2000, heightPx: 4000 }]])
  const codes = (fit: 'contain' | 'cover') =>
    check(documentOf(imageLayer({ x: 0, y: 20, width: 60, height: 40, fit })), { assets }).issues.map(
      ({ code }) => code,
    )
  assert.deepEqual(codes('contain'), [])
  assert.deepEqual(codes('cover'), ['bleed_missing'])
})

test('line_too_thin: under a quarter point', () => {
  const line = (widthMm: number) => found(shapeLayer({ stroke: { color: '#000000', widthMm } }))
  assert.deepEqual(line(0.089), [])
  assert.deepEqual(line(0.088), ['warning line_too_thin'])
  // A quarter point is 0.0882 mm.
  const [issue] = issuesOf(shapeLayer({ stroke: { color: '#000000', widthMm: 0.08 } }))
  assert.deepEqual([issue?.measured, issue?.limit, issue?.unit], [0.227, 0.25, 'pt'])
  assert.equal(issue?.pointer, '/placements/0/layers/0/stroke/widthMm')
})

test('line_too_thin: dashed lines, paths, and fills that are as narrow as a line', () => {
  const stroke = { color: '#000000', widthMm: 0.088 }
  assert.deepEqual(found(shapeLayer({ stroke: { ...stroke, dashMm: [2, 1] } })), ['warning line_too_thin'])
  assert.deepEqual(found(shapeLayer({ shape: 'path', path: 'M0 0H30V30z', stroke })), ['warning line_too_thin'])
  const pointers = (fields: object) => issuesOf(shapeLayer(fields)).map(({ code, pointer }) => `${code} ${pointer}`)
  assert.deepEqual(pointers({ height: 0.088 }), ['line_too_thin /placements/0/layers/0/height'])
  assert.deepEqual(pointers({ width: 0.088, shape: 'ellipse' }), ['line_too_thin /placements/0/layers/0/width'])
  assert.deepEqual(pointers({ height: 0.089 }), [])
  // A visible stroke makes the shape wide enough. An invisible stroke does not. An invisible shape has no issue of this
  // kind.
  assert.deepEqual(pointers({ height: 0.05, stroke: { ...stroke, widthMm: 0.1 } }), [])
  const unseen = { color: '#00000000', widthMm: 1 }
  assert.deepEqual(pointers({ height: 0.088, stroke: unseen }), ['line_too_thin /placements/0/layers/0/height'])
  assert.deepEqual(pointers({ height: 0.05, fill: '#00000000' }), ['print_area_empty /placements/0/layers'])
})

test('invalid_path: faulty or missing path data', () => {
  assert.deepEqual(found(shapeLayer({ shape: 'path', path: 'M0 0 L' })), ['error invalid_path'])
  assert.deepEqual(found(shapeLayer({ shape: 'path' })), ['error invalid_path'])
})

test('measured values have no float noise, and a missed limit never looks met after rounding', () => {
  // 105 - 80.4 - 21.7 is 2.8999999999999915 in floats.
  const [noisy] = issuesOf(qrLayer({ x: 80.4, y: 10, width: 21.7, height: 21.7 }))
  assert.deepEqual([noisy?.code, noisy?.measured, noisy?.limit], ['outside_safe_area', 2.9, 4])
  // The modules are 0.34997 mm wide.
  const [dense] = issuesOf(qrLayer({ width: 11.549, height: 11.549 }))
  assert.deepEqual([dense?.code, dense?.measured, dense?.limit], ['qr_too_small', 0.349, 0.35])
})

test('checking a QR code does not encode it, so an unpaired surrogate causes no exception', () => {
  assert.doesNotThrow(() => issuesOf(qrLayer({ value: 'a\ud800' })))
})

test('qr_too_small: modules under 0.35 mm', () => {
  // A QR code of version 2 has 25 modules per side, and 33 with the quiet zone.
  const side = (mm: number) => found(qrLayer({ width: mm, height: mm }))
  assert.deepEqual(side(11.55), [])
  assert.deepEqual(side(11.549), ['warning qr_too_small'])
})

test('qr_contrast_low: too little contrast, light on dark, and colours that fade', () => {
  assert.deepEqual(found(qrLayer({ color: '#FF0000' })), [])
  assert.deepEqual(found(qrLayer({ color: '#FFFF00' })), ['error qr_contrast_low'])
  assert.deepEqual(found(qrLayer({ color: '#FFFFFF', background: '#000000' })), ['error qr_contrast_low'])
  assert.deepEqual(found(qrLayer({ opacity: 0.1 })), ['error qr_contrast_low'])
  assert.deepEqual(found(qrLayer({ background: '#FFFFFF00' })), [])
})

test('qr_value_too_long: more than any QR code of the level can hold', () => {
  const layer = qrLayer({ value: 'x'.repeat(1274), errorCorrection: 'H', x: 5, y: 5, width: 90, height: 90 })
  assert.deepEqual(found(layer), ['error qr_value_too_long'])
  assert.deepEqual(found({ ...layer, value: 'x'.repeat(1273) }), [])
})

test('placeholders are checked as written, or filled', () => {
  const document = documentOf(textLayer({ text: '{{name}}' }))
  const filled = check(document, { data: { name: '𓀀' } })
  assert.deepEqual(check(document).issues, [])
  assert.deepEqual(
    filled.issues.map(({ code }) => code),
    ['glyphs_missing'],
  )
})

test('numbers that are not finite are reported and do not throw', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    const layers = [
      textLayer({ id: 'a', width: value }),
      textLayer({ id: 'b', fontSizePt: value }),
      imageLayer({ rotation: value }),
      imageLayer({ id: 'crop', crop: { x: value, y: 0, width: 1, height: 1 } }),
      shapeLayer({ stroke: { color: '#000000', widthMm: value } }),
      qrLayer({ height: value }),
    ]
    const report = check(normalizeDocument(documentOf(...layers)))
    assert.equal(report.ok, false)
    const reported = report.issues.filter(({ code }) => code === 'number_not_finite')
    assert.equal(reported.length, layers.length)
  }
})
