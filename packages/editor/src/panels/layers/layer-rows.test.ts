import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layersOf, placeLayers } from '../../document/layers.ts'
import { emptyState, rect } from '../../factory.ts'
import { gapOutsideGroups, indexAtGap, rowsOf } from './layer-rows.ts'

const layers = [rect('a'), rect('b', { group: 'g' }), rect('c', { group: 'g' }), rect('d')]

test('rows run from top to bottom, and a group has a heading', () => {
  assert.deepEqual(
    rowsOf(layers).map(({ kind, layers: members }) => `${kind} ${members.map(({ id }) => id).join('')}`),
    ['layer d', 'group bc', 'layer c', 'layer b', 'layer a'],
  )
})

test('layers dropped into a gap lie between its neighbours', () => {
  const { document } = emptyState(layers)
  const rows = rowsOf(layers)
  const orderAfter = (gap: number, moved: string[]) =>
    layersOf(placeLayers(document, moved, indexAtGap(rows, gap, moved)), 'front')
      .map(({ id }) => id)
      .join('')
  assert.equal(orderAfter(0, ['a']), 'bcda')
  assert.equal(orderAfter(5, ['d']), 'dabc')
  assert.equal(orderAfter(4, ['d']), 'adbc')
  assert.equal(orderAfter(5, ['b', 'c']), 'bcad')
})

test('a drop into a group from outside lands above it, and its own layers move inside', () => {
  const rows = rowsOf(layers)
  assert.deepEqual(
    [1, 2, 3, 4].map((gap) => gapOutsideGroups(rows, gap, ['a'])),
    [1, 1, 1, 4],
  )
  assert.equal(gapOutsideGroups(rows, 3, ['c']), 3)
})
