import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addLayers, changeLayers, layersOf, removeLayers } from '../document/layers.ts'
import { emptyState, rect } from '../factory.ts'
import { createEditorStore } from './editor-store.ts'

test('undo and redo pass through every state, and a change after an undo ends the redo', () => {
  const store = createEditorStore(emptyState())
  for (let i = 0; i < 500; i++) store.edit((document) => addLayers(document, 'front', [rect(`r${i}`)]))
  for (let i = 0; i < 500; i++) store.undo()
  assert.deepEqual(layersOf(store.get().document, 'front'), [])
  assert.deepEqual([store.get().canUndo, store.get().canRedo], [false, true])
  for (let i = 0; i < 3; i++) store.redo()
  assert.deepEqual(
    layersOf(store.get().document, 'front').map(({ id }) => id),
    ['r0', 'r1', 'r2'],
  )
  store.edit((document) => removeLayers(document, ['r1']))
  assert.equal(store.get().canRedo, false)
})

test('changes with the same key are one step until another change or the end of the step', () => {
  const store = createEditorStore(emptyState([rect('a')]))
  const move = (x: number, mergeKey?: string) =>
    store.edit((document) => changeLayers(document, ['a'], (layer) => ({ ...layer, x })), { mergeKey })
  const x = () => layersOf(store.get().document, 'front')[0]?.x
  move(1, 'drag')
  move(2, 'drag')
  store.endStep()
  move(3, 'drag')
  move(4, 'drag')
  store.undo()
  assert.equal(x(), 2)
  store.undo()
  assert.equal(x(), 0)
  assert.equal(store.get().canUndo, false)
})

test('a removed layer leaves the selection, and undo selects it again', () => {
  const store = createEditorStore(emptyState([rect('a'), rect('b')]))
  store.select(['a', 'b'])
  store.edit((document) => removeLayers(document, ['a']))
  assert.deepEqual(store.get().selection, ['b'])
  store.undo()
  assert.deepEqual(store.get().selection, ['a', 'b'])
})

test('a document that cannot be edited stays as it is', () => {
  const store = createEditorStore({ ...emptyState([rect('a')]), isEditable: false })
  const { document } = store.get()
  store.edit((present) => removeLayers(present, ['a']))
  store.undo()
  assert.equal(store.get().document, document)
})
