import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaten } from '../../../client/src/index.ts'
import { layersOf } from '../document/layers.ts'
import { emptyState, rect } from '../factory.ts'
import type { EditorState } from '../state/editor-state.ts'
import { createEditorStore } from '../state/editor-store.ts'
import { createPanelView } from '../state/panel-view.ts'
import { createClipboard, writeLayers } from './clipboard.ts'
import { createActions } from './create-actions.ts'

function open(state: EditorState, system?: { readText(): Promise<string>; writeText(text: string): Promise<void> }) {
  const store = createEditorStore(state)
  const said: string[] = []
  const services = {
    ...{ store, locale: 'en', view: createPanelView(), clipboard: createClipboard(system) },
    client: createPlaten({ url: 'http://127.0.0.1:9' }),
    text: (key: string) => key,
    sideName: ({ name }: { name: string }) => name,
    announce: (message: string) => said.push(message),
    refuse: (message: string) => said.push(message),
    host: {
      engine: () => undefined,
      onEngine: () => () => undefined,
      images: { current: () => new Map(), onChange: () => () => undefined, show: () => undefined },
      takesItems: () => false,
      palette: () => [],
      takeItems: () => undefined,
      zoom: () => undefined,
      finalize: () => undefined,
    },
    placeFiles: () => undefined,
  }
  const layers = () => layersOf(store.get().document, 'front')
  return { store, said, layers, actions: createActions(services) }
}

test('what a layer forbids is refused with an announcement, and the other layers change', () => {
  const { store, actions, said, layers } = open(
    emptyState([rect('a', { lock: { move: true, remove: true } }), rect('b')]),
  )
  store.select(['a', 'b'])
  actions.run('nudgeRight')
  assert.deepEqual(
    layers().map(({ x }) => x),
    [0, 1],
  )
  assert.deepEqual(said, ['refusedMove', 'movedTo'])
  actions.run('delete')
  assert.deepEqual(
    layers().map(({ id }) => id),
    ['a'],
  )
  assert.ok(said.includes('refusedRemove'))
})

test('repeated nudges are one step of undo', () => {
  const { store, actions, layers } = open(emptyState([rect('a')]))
  store.select(['a'])
  for (let i = 0; i < 20; i++) actions.run('nudgeDownFine')
  assert.equal(layers()[0]?.y, 2)
  actions.run('undo')
  assert.equal(layers()[0]?.y, 0)
})

test('the owner locks and unlocks layers, except those of a template', () => {
  const own = open(emptyState([rect('a')]))
  own.store.select(['a'])
  own.actions.run('lock')
  assert.deepEqual(own.layers()[0]?.lock, { move: true, edit: true, style: true, remove: true })
  own.actions.run('lock')
  assert.deepEqual(own.layers()[0], rect('a'))
  const state = emptyState([rect('a', { lock: { move: true } })])
  const bound = open({ ...state, design: { ...state.design, templateId: 'tpl_1' } })
  bound.store.select(['a'])
  assert.equal(bound.actions.isEnabled('lock'), false)
})

test('copies get ids, groups and places of their own', async () => {
  const { store, actions, layers } = open(emptyState([rect('a', { group: 'g' }), rect('b', { group: 'g', x: 20 })]))
  store.select(['a', 'b'])
  actions.run('copy')
  actions.run('paste')
  await new Promise(setImmediate)
  const copies = layers().slice(2)
  assert.deepEqual(
    copies.map(({ x, y }) => [x, y]),
    [
      [5, 5],
      [25, 5],
    ],
  )
  assert.equal(new Set(layers().map(({ id }) => id)).size, 4)
  assert.ok(copies[0]?.group !== 'g' && copies[0]?.group === copies[1]?.group)
  assert.deepEqual(
    store.get().selection,
    copies.map(({ id }) => id),
  )
})

test('a design that cannot be edited enables nothing that changes it', () => {
  const { store, actions } = open({ ...emptyState([rect('a')]), isEditable: false })
  store.select(['a'])
  for (const id of ['delete', 'nudgeUp', 'insertText', 'paste', 'alignLeft', 'group', 'hide'] as const) {
    assert.equal(actions.isEnabled(id), false, id)
  }
  assert.equal(actions.isEnabled('copy'), true)
})

test('the limit of layers is told, and nothing is inserted', () => {
  const { store, actions, said, layers } = open(
    emptyState(Array.from({ length: 200 }, (_, i) => rect(`l${i}`, { x: i }))),
  )
  store.select(['l0'])
  actions.run('duplicate')
  assert.equal(layers().length, 200)
  assert.deepEqual(said, ['tooManyLayers'])
})

/** Pastes what another page has put onto the clipboard. */
async function paste(state: EditorState, content: string) {
  const editor = open(state, { readText: async () => content, writeText: async () => undefined })
  const { document } = editor.store.get()
  editor.actions.run('paste')
  while (editor.said.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  return { ...editor, isChanged: editor.store.get().document !== document }
}

test('layers of another page are pasted if the service would save them, and refused with words otherwise', async () => {
  const good = await paste(emptyState(), writeLayers([rect('a')]))
  assert.deepEqual([good.said, good.layers().length], [['inserted'], 1])
  const bad = await paste(emptyState(), writeLayers([rect('a', { x: Number.MAX_VALUE })]))
  assert.deepEqual([bad.said, bad.isChanged], [['cannotPaste'], false])
})

test('what makes the design too large is refused with words', async () => {
  const text = { type: 'text', fontFamily: 'Inter', fontSizePt: 9, text: 'A'.repeat(9_500) } as object
  const state = emptyState(
    ['a', 'b'].map((id) => ({ ...rect(id), ...text, fill: undefined, shape: undefined })) as never,
  )
  const pasted = await paste(state, 'B'.repeat(2_001))
  assert.deepEqual([pasted.said, pasted.isChanged], [['cannotInsert'], false])
  const full = emptyState(Array.from({ length: 200 }, (_, i) => rect(`r${i}`)))
  const more = await paste(full, writeLayers([rect('a')]))
  assert.deepEqual([more.said, more.isChanged], [['tooManyLayers'], false])
})
