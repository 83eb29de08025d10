import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import { a6, documentOf, fonts, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import { preflight } from '../preflight/preflight.ts'
import { ceilMm, floorMm } from '../shapes/units.ts'
import type { PreflightIssue } from './issue.ts'

/** A round sticker of 60 mm with its centre at (30, 30), and an oval one as large as the A6 card. */
const round: PrintArea = { ...a6, widthMm: 60, heightMm: 60, shape: 'ellipse', required: false }
const oval: PrintArea = { ...a6, shape: 'ellipse', required: false }

function issuesOf(layer: Layer, area: PrintArea): PreflightIssue[] {
  const assets = new Map([['photo', { widthPx: 4000, heightPx: 4000 }]])
  return preflight({ document: documentOf(layer), product: { status: 'active', printAreas: [area] }, assets, fonts })
    .issues
}

const found = (layer: Layer, area = round) => issuesOf(layer, area).map(({ severity, code }) => `${severity} ${code}`)
const square = (centreX: number, centreY: number, side: number) => ({
  x: centreX - side / 2,
  y: centreY - side / 2,
  width: side,
  height: side,
})

test('outside_safe_area: in a round area, the distance of corners from the cut counts', () => {
  // Half the diagonal of a square of 36.7 mm is 25.951 mm, that of 36.8 mm is 26.022 mm. The safe area has a radius of
  // 26 mm.
  const code = (side: number) => found(qrLayer(square(30, 30, side)))
  assert.deepEqual(code(36.7), [])
  assert.deepEqual(code(36.8), ['warning outside_safe_area'])
  // A square of 42.426 mm has a diagonal of 59.9994 mm, one of 42.428 mm a diagonal of 60.002 mm.
  assert.deepEqual(code(42.426), ['warning outside_safe_area'])
  assert.deepEqual(code(42.428), ['error outside_safe_area'])
})

test('outside_safe_area: the distance is measured perpendicular to the cut, also in an oval area', () => {
  const [issue] = issuesOf(qrLayer(square(30, 30, 40)), round)
  assert.equal(issue?.measured, Number((30 - 20 * Math.SQRT2).toFixed(3)))
  assert.equal(issue?.limit, 4)
  // The code is a point on the long axis of the oval. The ends of this axis are 74 mm from its centre.
  const onAxis = { ...square(52.5, 12, 0.001), height: 12 }
  const [low] = issuesOf(qrLayer({ ...onAxis, y: 2, width: 0.002, height: 12, value: 'a' }), oval).filter(
    ({ code }) => code === 'outside_safe_area',
  )
  assert.equal(low?.measured, 2)
})

test('outside_safe_area: each line of a text is checked separately', () => {
  const lines = { text: 'i\nMMMMMMMM\ni', fontSizePt: 18, align: 'center', lineHeight: 1.2 } as const
  const inside = textLayer({ ...lines, ...square(30, 30, 60), y: 18, height: 24 })
  assert.deepEqual(found(inside), [])
  // At the top of the circle, there is less room for the wide line.
  assert.deepEqual(found({ ...inside, y: 8 }), ['warning outside_safe_area'])
  assert.deepEqual(found({ ...inside, text: 'MMMMMMMM\ni', y: 5 }), ['error outside_safe_area'])
})

test('outside_safe_area: letters that extend beyond their line are measured by their extent', () => {
  const text = (fields: object, area = a6) =>
    issuesOf(textLayer({ x: 20, width: 80, height: 8, fontSizePt: 100, lineHeight: 0.1, ...fields }), area).map(
      ({ severity, code, measured = 0 }) => `${severity} ${code} ${measured.toFixed(1)}`,
    )
  // Capital letters of Inter are 0.727 em high, and 100 pt are 35.28 mm. The line height is 0.1 em, and the safe margin
  // of 4 mm is about as large.
  assert.deepEqual(text({ y: 4.1, text: 'HH' }), ['error outside_safe_area -7.0'])
  assert.deepEqual(text({ y: 4.1, text: 'xx' }), ['error outside_safe_area -0.6'])
  assert.deepEqual(text({ y: 60, text: 'HH' }), [])
  assert.deepEqual(text({ y: 128, verticalAlign: 'bottom', text: 'gg' }), ['error outside_safe_area -6.7'])
  assert.deepEqual(text({ y: 120, verticalAlign: 'bottom', text: 'gg' }), ['warning outside_safe_area 1.3'])
  const accents = { x: 20, y: 0, height: 40, fontSizePt: 60, text: 'ÅÄÖÉ', width: 70 }
  const noMargin = { ...a6, safeMarginMm: 0 }
  for (const lineHeight of [0.5, 0.7, 0.9]) {
    assert.match(text({ ...accents, lineHeight }, noMargin).join(), /^error outside_safe_area/, `${lineHeight}`)
  }
  // A line may extend beyond the edge if its letters lie inside.
  assert.deepEqual(text({ ...accents, y: 1, lineHeight: 1.2 }, noMargin), [])
  assert.deepEqual(text({ ...accents, lineHeight: 0.9, text: 'xxx' }, noMargin), [])
  assert.deepEqual(text({ ...accents, lineHeight: 0.9, text: 'xxx 𓀀' }, noMargin), ['error glyphs_missing 1.0'])
})

test('outside_safe_area: ordinary lines at the margin have no issue, in every family', () => {
  for (const { family } of fonts.families) {
    const lines = textLayer({
      x: 4,
      y: 4,
      width: 97,
      height: 60,
      fontFamily: family,
      text: 'Hamburgefonts Éyjg\nÄÖÜ gpq',
    })
    assert.deepEqual(found(lines, a6), [], family)
    const low = { ...lines, y: 84, verticalAlign: 'bottom' as const }
    assert.deepEqual(found(low, a6), [], family)
  }
})

test('layer_outside_print_area: the corners of the box of a round area are outside', () => {
  const shape = (fields: object) => found(shapeLayer({ width: 5, height: 5, ...fields }))
  assert.deepEqual(shape({ x: 0, y: 0 }), ['error layer_outside_print_area'])
  // The nearest corner lies exactly at the end of the bleed, 33 mm from the centre.
  const corner = 30 - 33 * Math.SQRT1_2 - 5
  assert.deepEqual(shape({ x: floorMm(corner), y: floorMm(corner) }), ['error layer_outside_print_area'])
  assert.deepEqual(shape({ x: ceilMm(corner), y: ceilMm(corner) }), [])
  assert.deepEqual(found(shapeLayer({ shape: 'ellipse', x: 0, y: 0, width: 7, height: 7 })), [
    'error layer_outside_print_area',
  ])
  assert.deepEqual(found(shapeLayer({ shape: 'ellipse', ...square(30, 30, 5000) })), [])
})

test('bleed_missing: the bleed of a round background is measured exactly', () => {
  const disc = (size: number) => found(shapeLayer({ shape: 'ellipse', ...square(30, 30, size) }))
  assert.deepEqual(disc(59.998), [])
  assert.deepEqual(disc(60), ['warning bleed_missing'])
  assert.deepEqual(disc(65.998), ['warning bleed_missing'])
  assert.deepEqual(disc(66), [])
  const ring = { color: '#000000', widthMm: 2 }
  assert.deepEqual(found(shapeLayer({ shape: 'ellipse', ...square(30, 30, 60), stroke: ring })), [
    'warning bleed_missing',
  ])
  assert.deepEqual(found(shapeLayer({ shape: 'ellipse', ...square(30, 30, 64), stroke: ring })), [])
})

test('bleed_missing: square and rotated layers are measured by their corners and sides', () => {
  const box = (side: number, rotation = 0) => found(shapeLayer({ ...square(30, 30, side), rotation }))
  assert.deepEqual(box(65.998), ['warning bleed_missing'])
  for (const rotation of [0, 30, 45, 90]) assert.deepEqual(box(66, rotation), [], `${rotation}`)
  assert.deepEqual(box(65.998, 30), ['warning bleed_missing'])
  // A band extends beyond the area on both sides, far beyond the bleed.
  assert.deepEqual(found(shapeLayer({ x: -10, y: 20, width: 80, height: 10 })), [])
  // A corner ends in the bleed.
  assert.deepEqual(found(shapeLayer({ ...square(30, 30, 20), x: 33, y: 33 })), ['warning bleed_missing'])
  const [issue] = issuesOf(shapeLayer({ ...square(30, 30, 62) }), round)
  assert.deepEqual([issue?.measured, issue?.limit, issue?.unit], [1, 3, 'mm'])
  assert.deepEqual(found(imageLayer(square(30, 30, 62))), ['warning bleed_missing'])
  assert.deepEqual(found(shapeLayer(square(30, 30, 62)), { ...round, bleedMm: 0 }), [])
})

test('bleed_missing: each edge of a rectangle is checked, and the shortest distance is reported', () => {
  const [issue, ...others] = issuesOf(shapeLayer({ x: -1, y: -2, width: 200, height: 20 }), a6)
  assert.equal(others.length, 0)
  assert.match(issue?.message ?? '', /\(left, top\)/)
  assert.equal(issue?.measured, 1)
  assert.deepEqual(
    issue?.fix?.map(({ path, value }) => [path.split('/').at(-1), value]),
    [
      ['x', -3],
      ['y', -3],
      ['width', 202],
      ['height', 21],
    ],
  )
})

test('a line extends as far as its stroke, not as its box', () => {
  const stroke = { color: '#000000', widthMm: 1 }
  const diagonal = (x: number, y: number) =>
    found(shapeLayer({ shape: 'line', x, y, width: 10, height: 10, stroke }), { ...a6, required: false })
  // The box covers the corner of the bleed box, but the stroke does not reach it.
  assert.deepEqual(found(shapeLayer({ shape: 'line', x: 105, y: -9, width: 10, height: 9, stroke }), a6), [
    'error layer_outside_print_area',
  ])
  assert.deepEqual(diagonal(0.355, 20), [])
  assert.deepEqual(diagonal(0.353, 20), ['warning bleed_missing'])
})

test('a rotated ellipse and a rotated path are measured by what they draw, not by their boxes', () => {
  const thin = { x: 80, y: 60, width: 40, height: 2, rotation: 45 }
  const reach = Math.hypot(20 * Math.SQRT1_2, Math.SQRT1_2)
  const at = (left: number) => found(shapeLayer({ shape: 'ellipse', ...thin, x: left - 20 }), a6)
  assert.deepEqual(at(floorMm(105 - reach)), [])
  assert.deepEqual(at(ceilMm(105 - reach)), ['warning bleed_missing'])
  const triangle = { shape: 'path', path: 'M0 0H20L10 10z', width: 20, height: 20, rotation: 180 } as const
  // After rotation around its box, the triangle points up, and its point lies ten millimetres below the top of the box.
  assert.deepEqual(found(shapeLayer({ ...triangle, x: 40, y: -9 }), a6), [])
  assert.deepEqual(found(shapeLayer({ ...triangle, x: 40, y: -11 }), a6), ['warning bleed_missing'])
})
