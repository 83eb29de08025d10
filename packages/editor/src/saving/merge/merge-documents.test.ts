import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDocument, type DesignDocument } from '@platen/drawing'
import fc from 'fast-check'
import { addLayers, changeLayers, type EditorLayer, layersOf, removeLayers } from '../../document/layers.ts'
import { emptyState, rect } from '../../factory.ts'
import { mergeContents } from './merge-contents.ts'
import { mergeDocuments } from './merge-documents.ts'
import { sameValue } from './same-value.ts'

const documentOf = (front: EditorLayer[], back: EditorLayer[] = []): DesignDocument => ({
  version: 1,
  placements: [
    { printAreaId: 'front', layers: front },
    { printAreaId: 'back', layers: back },
  ],
})
const change = (document: DesignDocument, id: string, fields: object): DesignDocument =>
  changeLayers(document, [id], (layer) => ({ ...layer, ...fields }) as EditorLayer)
const idsOf = (document: DesignDocument, area = 'front') => layersOf(document, area).map(({ id }) => id)
const layerOf = (document: DesignDocument, id: string) =>
  document.placements.flatMap(({ layers }) => layers as EditorLayer[]).find((layer) => layer.id === id)

const BASE = documentOf([rect('a'), rect('b'), rect('c')])

test('fields of one layer that different sides changed are merged', () => {
  const mine = change(change(BASE, 'a', { fill: '#ff0000' }), 'b', { x: 5, y: 5 })
  const theirs = change(change(BASE, 'a', { opacity: 0.5 }), 'c', { width: 20 })
  const { document, conflicts } = mergeDocuments(BASE, mine, theirs)
  const expected = change(change(mine, 'a', { opacity: 0.5 }), 'c', { width: 20 })
  assert.deepEqual([document, conflicts], [expected, []])
})

test('a field that both sides changed is a conflict, and the choice decides', () => {
  const mine = change(BASE, 'a', { x: 1, fill: '#ff0000' })
  const theirs = change(BASE, 'a', { y: 2, fill: '#00ff00', opacity: 0.5 })
  const { document, conflicts } = mergeDocuments(BASE, mine, theirs)
  assert.deepEqual(layerOf(document, 'a'), rect('a', { x: 1, fill: '#ff0000', opacity: 0.5 } as object))
  assert.deepEqual(
    conflicts.map(({ id, fields }) => [id, [...fields].sort()]),
    [['a', ['fill', 'x', 'y']]],
  )
  const chosen = mergeDocuments(BASE, mine, theirs, { choices: new Map([['a', 'theirs']]) })
  assert.deepEqual(chosen.document, theirs)
  const both = mergeDocuments(BASE, mine, theirs, { choices: new Map([['a', 'both']]), newId: () => 'copy' })
  assert.deepEqual(idsOf(both.document), ['a', 'copy', 'b', 'c'])
  assert.deepEqual(layerOf(both.document, 'copy'), { ...layerOf(theirs, 'a'), id: 'copy' })
  assert.equal(layerOf(both.document, 'a')?.x, 1)
})

test('a copy in the place of the own layer is beside it, and has no lock of a template', () => {
  const mine = change(BASE, 'a', { fill: '#ff0000' })
  const theirs = change(BASE, 'a', { fill: '#00ff00', lock: { move: true } })
  const { document } = mergeDocuments(BASE, mine, theirs, { choices: new Map([['a', 'both']]), newId: () => 'copy' })
  assert.deepEqual(layerOf(document, 'copy'), rect('copy', { x: 3, y: 3, fill: '#00ff00' } as object))
})

test('a layer that one side deleted and the other changed stays with a notice, in both directions', () => {
  const deleted = removeLayers(BASE, ['a'])
  const changed = change(BASE, 'a', { x: 9 })
  const there = mergeDocuments(BASE, changed, deleted)
  assert.deepEqual(there.document, changed)
  assert.deepEqual(there.notices, [{ kind: 'deleted_there', layer: layerOf(changed, 'a') }])
  const here = mergeDocuments(BASE, deleted, changed)
  assert.deepEqual(here.document, changed)
  assert.deepEqual(here.notices, [{ kind: 'deleted_here', layer: layerOf(changed, 'a') }])
  assert.deepEqual(mergeDocuments(BASE, deleted, BASE).document, deleted)
  assert.deepEqual(mergeDocuments(BASE, BASE, deleted).document, deleted)
})

test('layers of both sides are added where they belong, those of one side together', () => {
  const mine = addLayers(addLayers(BASE, 'front', [rect('m1'), rect('x9')]), 'front', [rect('m0')], 1)
  const theirs = addLayers(BASE, 'front', [rect('n1'), rect('n2')])
  const ids = ['a', 'm0', 'b', 'c', 'm1', 'x9', 'n1', 'n2']
  assert.deepEqual(idsOf(mergeDocuments(BASE, mine, theirs).document), ids)
  assert.deepEqual(idsOf(mergeDocuments(BASE, theirs, mine).document), ids)
})

test('the order that one side changed is taken, and of two that exclude each other the own one', () => {
  const order = (...ids: string[]) => documentOf(ids.map((id) => rect(id)))
  const merged = mergeDocuments(BASE, order('c', 'a', 'b'), addLayers(BASE, 'front', [rect('d')], 2))
  assert.deepEqual(idsOf(merged.document), ['c', 'a', 'b', 'd'])
  assert.equal(merged.hasKeptOrder, false)
  const cycle = mergeDocuments(BASE, order('b', 'a', 'c'), order('a', 'c', 'b'))
  assert.deepEqual([idsOf(cycle.document), cycle.hasKeptOrder], [['b', 'a', 'c'], true])
})

test('a layer that was moved to another print area and changed elsewhere has both changes', () => {
  const moved = documentOf([rect('b'), rect('c')], [rect('a')])
  const { document, conflicts } = mergeDocuments(BASE, moved, change(BASE, 'a', { fill: '#ff0000' }))
  assert.deepEqual([document, conflicts], [change(moved, 'a', { fill: '#ff0000' }), []])
})

test('a print area that one side removed stays if the other side added a layer to it', () => {
  const both = documentOf([rect('a')], [rect('b')])
  const removed: DesignDocument = { version: 1, placements: both.placements.slice(0, 1) }
  const added = addLayers(both, 'back', [rect('c')])
  assert.deepEqual(idsOf(mergeDocuments(both, added, removed).document, 'back'), ['c'])
  assert.deepEqual(mergeDocuments(both, both, removed).document, removed)
})

test('the fields of layers of different types are not mixed', () => {
  const code = { id: 'a', type: 'qr', x: 0, y: 0, width: 10, height: 10, rotation: 0, opacity: 1, value: 'x' }
  const mine = documentOf([code as EditorLayer, rect('b'), rect('c')])
  const { document, conflicts } = mergeDocuments(BASE, mine, change(BASE, 'a', { fill: '#ff0000', x: 4 }))
  assert.deepEqual(document, mine)
  assert.deepEqual(
    conflicts.map(({ id }) => id),
    ['a'],
  )
})

// Each side is valid: a line may have no width, or no height.
test('fields whose mixture is invalid are taken from one side', () => {
  const base = documentOf([rect('a', { shape: 'line', width: 10, height: 0 } as object)])
  const mine = change(base, 'a', { shape: 'rect', width: 10, height: 5 })
  const theirs = change(base, 'a', { width: 0, height: 10 })
  const turned = mergeDocuments(base, change(base, 'a', { shape: 'rect', height: 4 }), theirs)
  for (const { document } of [turned, mergeDocuments(base, mine, theirs), mergeDocuments(base, theirs, mine)]) {
    assert.deepEqual(checkDocument(document), [])
  }
  const [flat, wide] = [change(BASE, 'a', { shape: 'line', height: 0 }), change(BASE, 'a', { rotation: 3 })]
  assert.deepEqual(mergeDocuments(BASE, flat, wide).conflicts, [])
  const dashed = documentOf([rect('a', { shape: 'line', height: 0 } as object)])
  const box = change(dashed, 'a', { shape: 'rect', width: 5, height: 5 })
  const tall = change(dashed, 'a', { width: 0, height: 5 })
  assert.deepEqual(
    checkDocument(mergeDocuments(dashed, box, tall, { choices: new Map([['a', 'theirs']]) }).document),
    [],
  )
})

test('name and variant are merged like fields', () => {
  const { document } = emptyState()
  const base = { name: 'A', variantId: 'v1', document }
  const merged = mergeContents(base, { ...base, name: 'B' }, { ...base, variantId: 'v2' })
  assert.deepEqual([merged.content, merged.conflicts], [{ name: 'B', variantId: 'v2', document }, []])
  const conflict = mergeContents(base, { ...base, name: 'B' }, { ...base, name: 'C' })
  assert.deepEqual(conflict.conflicts, [{ kind: 'field', id: '/name', mine: 'B', theirs: 'C' }])
  assert.equal(conflict.content.name, 'B')
  const choices = new Map([['/name', 'theirs' as const]])
  assert.equal(mergeContents(base, { ...base, name: 'B' }, { ...base, name: 'C' }, choices).content.name, 'C')
})

/** One change of a document, by numbers, so that counterexamples shrink. */
type Change = { kind: 'add' | 'remove' | 'field' | 'move' | 'area'; layer: number; value: number }

const IDS = ['a', 'b', 'c', 'd', 'e']
const changeArbitrary: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('add', 'remove', 'field', 'move', 'area'),
  layer: fc.nat(7),
  value: fc.nat(5),
})
const changesArbitrary = fc.array(changeArbitrary, { maxLength: 8 })
const baseArbitrary = changesArbitrary.map((changes) =>
  apply(
    documentOf(
      IDS.slice(0, 3).map((id) => rect(id)),
      IDS.slice(3).map((id) => rect(id)),
    ),
    changes,
    'z',
  ),
)
const FIELDS = [{ x: 1 }, { y: 2 }, { fill: '#00ff00' }, { opacity: 0.5 }, { cornerRadius: 1 }, { x: 3, y: 3 }]

function apply(start: DesignDocument, changes: readonly Change[], prefix: string): DesignDocument {
  let document = start
  for (const [index, { kind, layer, value }] of changes.entries()) {
    const ids = document.placements.flatMap(({ layers }) => layers.map(({ id }) => id))
    const id = ids[layer % Math.max(ids.length, 1)]
    const found = id === undefined ? undefined : layerOf(document, id)
    if (kind === 'add') {
      document = addLayers(document, value % 2 === 0 ? 'front' : 'back', [rect(`${prefix}${index}`)], value)
    } else if (found !== undefined && id !== undefined) {
      if (kind === 'field') document = change(document, id, FIELDS[value] ?? {})
      else document = removeLayers(document, [id])
      const area = (kind === 'area') === idsOf(document).includes(id) ? 'back' : 'front'
      if (kind === 'move' || kind === 'area') document = addLayers(document, area, [found], value)
    }
  }
  return document
}

const three = fc.tuple(baseArbitrary, changesArbitrary, changesArbitrary).map(([base, mine, theirs]) => ({
  base,
  mine: apply(base, mine, 'm'),
  theirs: apply(base, theirs, 't'),
}))
const RUNS = { numRuns: 2_000 }

test('a merge loses no layer and invents none', () => {
  fc.assert(
    fc.property(three, ({ base, mine, theirs }) => {
      const { document } = mergeDocuments(base, mine, theirs)
      const all = new Set([...IDS, ...[mine, theirs].flatMap((one) => [...idsOf(one), ...idsOf(one, 'back')])])
      for (const id of all) {
        const [was, own, other] = [base, mine, theirs].map((one) => layerOf(one, id))
        const isUntouched = was !== undefined && [own, other].every((one) => one === undefined || sameValue(one, was))
        const isMovedOnly = isUntouched && layerOf(document, id) !== undefined
        const isDeleted =
          (own === undefined || other === undefined) && (was === undefined ? !own && !other : isUntouched)
        assert.equal(layerOf(document, id) === undefined, isDeleted && !isMovedOnly, id)
        for (const [field, value] of Object.entries(layerOf(document, id) ?? {})) {
          const values = [own, other].map((one) => (one as Record<string, unknown> | undefined)?.[field])
          assert.ok(
            values.some((one) => sameValue(one, value)),
            `${id} ${field}`,
          )
        }
      }
      const ids = [...idsOf(document), ...idsOf(document, 'back')]
      assert.equal(new Set(ids).size, ids.length)
      assert.ok(ids.every((id) => all.has(id)))
      assert.deepEqual(checkDocument(document), [])
    }),
    RUNS,
  )
})

test('a merge with a side that did not change is the other side', () => {
  fc.assert(
    fc.property(three, ({ base, mine, theirs }) => {
      assert.equal(mergeDocuments(base, mine, base).document, mine)
      assert.deepEqual(mergeDocuments(base, base, theirs).document, theirs)
      assert.equal(mergeDocuments(base, mine, mine).document, mine)
    }),
    RUNS,
  )
})

test('a merge again changes nothing', () => {
  fc.assert(
    fc.property(three, ({ base, mine, theirs }) => {
      const { document, hasKeptOrder } = mergeDocuments(base, mine, theirs)
      assert.equal(mergeDocuments(theirs, document, theirs).document, document)
      if (!hasKeptOrder) assert.deepEqual(mergeDocuments(base, document, theirs).document, document)
    }),
    RUNS,
  )
})

test('without conflicts, both sides get the same document', () => {
  fc.assert(
    fc.property(three, ({ base, mine, theirs }) => {
      const one = mergeDocuments(base, mine, theirs)
      fc.pre(one.conflicts.length === 0 && !one.hasKeptOrder)
      assert.deepEqual(mergeDocuments(base, theirs, mine).document, one.document)
    }),
    RUNS,
  )
})
