import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyState, rect } from '../factory.ts'
import { applyFix, isFixLocked, layerAtPointer } from './apply-fix.ts'

const { document } = emptyState([rect('a'), rect('b', { stroke: { color: '#000000', widthMm: 0.01 } } as never)])
const replace = (path: string, value: unknown) => [{ op: 'replace' as const, path, value }]

test('a fix changes its values and shares everything else', () => {
  const fixed = applyFix(document, replace('/placements/0/layers/1/stroke/widthMm', 0.089))
  const [a, b] = fixed.placements[0]?.layers ?? []
  assert.equal(b?.type === 'shape' && b.stroke?.widthMm, 0.089)
  assert.equal(a, document.placements[0]?.layers[0])
  assert.equal(applyFix(fixed, replace('/placements/0/layers/1/stroke/widthMm', 0.089)), fixed)
})

test('a fix of an older report whose place is gone changes nothing', () => {
  const fix = [...replace('/placements/0/layers/0/x', 3), ...replace('/placements/0/layers/7/x', 3)]
  assert.equal(applyFix(document, fix), document)
  assert.equal(applyFix(document, replace('/placements/0/layers/0/missing', 3)), document)
})

test('a lock forbids the fixes that change what it protects', () => {
  const locked = emptyState([rect('a', { lock: { move: true } })]).document
  assert.equal(isFixLocked(locked, replace('/placements/0/layers/0/x', 3)), true)
  assert.equal(isFixLocked(locked, replace('/placements/0/layers/0/fill', '#000000')), false)
  assert.equal(layerAtPointer(locked, '/placements/0/layers/0/x')?.id, 'a')
  assert.equal(layerAtPointer(locked, '/placements'), undefined)
})
