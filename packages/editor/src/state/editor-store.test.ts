import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DesignDocument } from '@platen/drawing'
import { addLayers, changeLayers, layersOf, removeLayers } from '../document/layers.ts'
import { emptyState, rect } from '../factory.ts'
import { mergeSteps } from '../saving/saver/merge-steps.ts'
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

test('undo and redo keep changes from elsewhere that came between the steps', () => {
  const store = createEditorStore(emptyState())
  const ids = () => layersOf(store.get().document, 'front').map(({ id }) => id)
  const add = (id: string) => store.edit((document) => addLayers(document, 'front', [rect(id)]))
  const addElsewhere = (id: string) =>
    store.replaceDocument(addLayers(store.get().document, 'front', [rect(id)]), { merge: mergeSteps })
  for (const i of [1, 2, 3]) {
    add(`own${i}`)
    addElsewhere(`other${i}`)
  }
  const all = ['own1', 'other1', 'own2', 'other2', 'own3', 'other3']
  assert.deepEqual(ids(), all)
  store.undo()
  store.undo()
  assert.deepEqual(ids(), ['own1', 'other1', 'other2', 'other3'])
  addElsewhere('other4')
  store.undo()
  assert.deepEqual(ids(), ['other1', 'other2', 'other3', 'other4'])
  assert.deepEqual([store.get().canUndo, store.get().canRedo], [false, true])
  for (let i = 0; i < 3; i++) store.redo()
  assert.deepEqual(ids().sort(), [...all, 'other4'].sort())
  assert.deepEqual([store.get().canUndo, store.get().canRedo], [true, false])
})

test('a step whose fields were changed elsewhere since is left out of undo', () => {
  const store = createEditorStore(emptyState([rect('a'), rect('b')]))
  const move = (id: string, x: number) => (document: DesignDocument) =>
    changeLayers(document, [id], (layer) => ({ ...layer, x }))
  const places = () => layersOf(store.get().document, 'front').map(({ x }) => x)
  store.edit(move('a', 1))
  store.edit(move('b', 1))
  store.replaceDocument(move('b', 2)(store.get().document), { merge: mergeSteps })
  store.undo()
  assert.deepEqual([places(), store.get().canUndo], [[0, 2], false])
})

test('a change from elsewhere during a drag is no part of its steps', () => {
  const store = createEditorStore(emptyState([rect('a'), rect('b')]))
  const move = (id: string, x: number) => (document: DesignDocument) =>
    changeLayers(document, [id], (layer) => ({ ...layer, x }))
  const places = () => layersOf(store.get().document, 'front').map(({ x }) => x)
  store.edit(move('a', 1), { mergeKey: 'drag' })
  store.replaceDocument(move('b', 5)(store.get().document), { merge: mergeSteps })
  store.edit(move('a', 2), { mergeKey: 'drag' })
  store.undo()
  store.undo()
  assert.deepEqual([places(), store.get().canUndo], [[0, 5], false])
})

test('a document that cannot be edited stays as it is', () => {
  const store = createEditorStore({ ...emptyState([rect('a')]), isEditable: false })
  const { document } = store.get()
  store.edit((present) => removeLayers(present, ['a']))
  store.undo()
  assert.equal(store.get().document, document)
})
