import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreflightIssue } from '../../checks/issue.ts'
import type { Layer } from '../../document/layer-types.ts'
import { a6, documentOf, fonts, qrLayer, shapeLayer } from '../../factory.ts'
import { preflight } from '../../preflight/preflight.ts'

const code = qrLayer({ id: 'code', x: 20, y: 20, width: 33, height: 33 })
const over = (fields: Parameters<typeof shapeLayer>[0] = {}) =>
  shapeLayer({ id: 'over', x: 10, y: 10, width: 60, height: 60, ...fields })

function issuesOf(...layers: Layer[]): PreflightIssue[] {
  const product = { status: 'active', printAreas: [a6] }
  return preflight({ document: documentOf(...layers), product, assets: new Map(), fonts }).issues
}

const found = (...layers: Layer[]) => issuesOf(...layers).map(({ code: issue, pointer }) => `${issue} ${pointer}`)
const covered = ['qr_contrast_low /placements/0/layers/0']

test('qr_contrast_low: a code under an opaque shape, which the message names', () => {
  const [issue] = issuesOf(code, over())
  assert.equal(issue?.severity, 'error')
  assert.match(issue?.message ?? '', /"over"/)
  assert.deepEqual(found(code, over({ shape: 'ellipse' })), covered)
  assert.deepEqual(found(code, over({ rotation: 5 })), covered)
  assert.deepEqual(found(code, over({ id: 'left', width: 20 }), over({ id: 'right', x: 35 })), covered)
})

test('qr_contrast_low: shapes below or beside the code, without fill or translucent do not cover it', () => {
  assert.deepEqual(found(over(), code), [])
  assert.deepEqual(found(code, over({ y: 53 })), [])
  assert.deepEqual(found(code, over({ fill: '#33669980' })), [])
  assert.deepEqual(found(code, over({ opacity: 0.9 })), [])
  assert.deepEqual(found(code, over({ shape: 'path', path: 'M0 0H60V60Z' })), [])
  const frame = shapeLayer({
    id: 'frame',
    x: 20,
    y: 20,
    width: 33,
    height: 33,
    stroke: { color: '#000000', widthMm: 1 },
  })
  const { fill: _, ...unfilled } = frame
  assert.deepEqual(found(code, unfilled), [])
})

test('qr_contrast_low: error correction restores a covered middle, but not a covered corner', () => {
  const sign = over({ shape: 'ellipse', x: 30.5, y: 30.5, width: 12, height: 12 })
  assert.deepEqual(found({ ...code, errorCorrection: 'H' }, sign), [])
  assert.deepEqual(found({ ...code, errorCorrection: 'L' }, sign), covered)
  const corner = over({ x: 22, y: 22, width: 8, height: 8 })
  assert.deepEqual(found({ ...code, errorCorrection: 'H' }, corner), covered)
  // The fourth corner has no finder pattern.
  assert.deepEqual(found({ ...code, errorCorrection: 'H' }, { ...corner, x: 43, y: 43 }), [])
})

test('preflight offers no fix that would enlarge a shape over a code', () => {
  const low = qrLayer({ id: 'code', x: 4, y: 110, width: 33, height: 33 })
  const band = over({ x: 0, y: 143, width: 105, height: 5 })
  const [issue] = issuesOf(low, band)
  assert.equal(issue?.code, 'bleed_missing')
  assert.deepEqual(found(low, { ...band, ...patched(issue) }), [])
})

function patched(issue: PreflightIssue | undefined): object {
  return Object.fromEntries((issue?.fix ?? []).map(({ path, value }) => [path.split('/').at(-1), value]))
}
