import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { idsOf, isSave, QUICK, startSaving, until } from './saver.fixture.ts'

test('changes of two editors are merged, and both have them after their next save', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const [one, other] = [await openEditor(), await openEditor()]
  one.set('a', { opacity: 0.5 })
  one.add('b')
  await one.saver.flush()
  other.set('a', { rotation: 30 })
  other.add('c')
  await other.saver.flush()
  const design = await stored()
  assert.deepEqual(idsOf(design), ['a', 'b', 'c'])
  const { opacity, rotation } = design.document.placements[0]?.layers[0] ?? {}
  assert.deepEqual([opacity, rotation], [0.5, 30])
  assert.deepEqual([other.save(), other.saver.get().conflicts], ['saved', []])
  assert.deepEqual(
    other.saver.get().notices.map(({ kind }) => kind),
    ['merged'],
  )
})

test('undo takes back the own changes only, also those before a merge', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  // The other editor saves only when told to, so that it is always the second.
  const delays = { ...QUICK, quietMs: 60_000, longestMs: 60_000 }
  const [one, other] = [await openEditor(), await openEditor({ delays })]
  other.set('a', { rotation: 30 })
  other.add('c')
  one.set('a', { opacity: 0.5 })
  one.add('b')
  await one.saver.flush()
  await other.saver.flush()
  const ids = () => other.layers().map(({ id }) => id)
  assert.deepEqual(ids(), ['a', 'b', 'c'])
  other.store.undo()
  assert.deepEqual(ids(), ['a', 'b'])
  other.store.undo()
  assert.equal(other.store.get().canUndo, false)
  await other.saver.flush()
  const design = await stored()
  const { opacity, rotation } = design.document.placements[0]?.layers[0] ?? {}
  assert.deepEqual([idsOf(design), opacity, rotation], [['a', 'b'], 0.5, 0])
  other.store.redo()
  other.store.redo()
  await other.saver.flush()
  assert.deepEqual(idsOf(await stored()), ['a', 'b', 'c'])
})

test('undo does not take back what the customer has chosen in a conflict', async (t) => {
  const { openEditor } = await startSaving(t)
  const [one, other] = [await openEditor(), await openEditor()]
  one.set('a', { fill: '#ff0000' })
  await one.saver.flush()
  other.set('a', { fill: '#00ff00' })
  await until(() => other.saver.get().conflicts.length === 1)
  other.saver.decide(new Map([['a', 'theirs']]))
  await other.saver.flush()
  assert.equal(other.store.get().canUndo, false)
  other.store.undo()
  const [layer] = other.layers()
  assert.equal(layer?.type === 'shape' && layer.fill, '#ff0000')
})

test('while the customer has not decided about a conflict, nothing is saved and flush waits', async (t) => {
  const { openEditor, stored, saves } = await startSaving(t)
  const [one, other] = [await openEditor(), await openEditor()]
  one.set('a', { fill: '#ff0000' })
  await one.saver.flush()
  other.set('a', { fill: '#00ff00' })
  let isFlushed = false
  const flushed = other.saver.flush().then(() => {
    isFlushed = true
  })
  await until(() => other.saver.get().conflicts.length === 1)
  const [conflict] = other.saver.get().conflicts
  assert.deepEqual(conflict?.kind === 'layer' && [conflict.id, conflict.fields], ['a', ['fill']])
  const count = saves().length
  await wait(300)
  assert.deepEqual([saves().length, isFlushed, other.save()], [count, false, 'unsaved'])
  other.saver.decide(new Map([['a', 'both']]))
  await flushed
  const colours = (await stored()).document.placements[0]?.layers.map((layer) => 'fill' in layer && layer.fill)
  assert.deepEqual(colours, ['#00ff00', '#ff0000'])
  assert.deepEqual(other.saver.get().conflicts, [])
})

for (const [choice, fill] of [
  ['mine', '#00ff00'],
  ['theirs', '#ff0000'],
] as const) {
  test(`the choice "${choice}" is saved`, async (t) => {
    const { openEditor, stored } = await startSaving(t)
    const [one, other] = [await openEditor(), await openEditor()]
    one.set('a', { fill: '#ff0000' })
    await one.saver.flush()
    other.set('a', { fill: '#00ff00' })
    await until(() => other.saver.get().conflicts.length === 1)
    other.saver.decide(new Map([['a', choice]]))
    await other.saver.flush()
    const layer = (await stored()).document.placements[0]?.layers[0]
    assert.equal(layer?.type === 'shape' && layer.fill, fill)
  })
}

// The service has the first change, but the editor does not know it: its tag is stale because of its own save.
test('a save whose response was lost is no conflict with itself', async (t) => {
  const { openEditor, stored, fault, saves } = await startSaving(t)
  const editor = await openEditor()
  fault((request) => (isSave(request) && saves().length === 1 ? 'lose' : 'pass'))
  editor.set('a', { fill: '#ff0000' })
  await until(() => editor.save() === 'offline')
  editor.set('a', { fill: '#00ff00' })
  await until(() => editor.save() === 'saved')
  assert.deepEqual(editor.saver.get().conflicts, [])
  const { document, revision } = await stored()
  assert.deepEqual([document, revision], [editor.store.get().document, 3])
})

test('a save whose response was lost is no conflict if another editor has saved since', async (t) => {
  const { openEditor, stored, fault, direct, design, saves } = await startSaving(t)
  // The next attempt follows the return of the connection.
  const editor = await openEditor({ delays: { ...QUICK, retryMs: 600_000, longestRetryMs: 600_000 } })
  fault((request) => (isSave(request) && saves().length === 1 ? 'lose' : 'pass'))
  editor.set('a', { fill: '#ff0000' })
  await until(() => editor.save() === 'offline')
  await until(async () => (await stored()).revision === 2)
  await direct.designs.change(design.id, { name: 'Elsewhere' })
  editor.set('a', { fill: '#00ff00' })
  editor.page.return()
  await until(() => editor.save() === 'saved')
  assert.deepEqual(editor.saver.get().conflicts, [])
  const { document, name } = await stored()
  assert.deepEqual([document, name], [editor.store.get().document, 'Elsewhere'])
  assert.equal(editor.store.get().design.name, 'Elsewhere')
})

test('a layer that was deleted elsewhere and changed here stays, with a notice', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const [one, other] = [await openEditor(), await openEditor()]
  one.add('b')
  one.store.edit((document) => ({
    ...document,
    placements: document.placements.map((placement) => ({
      ...placement,
      layers: placement.layers.filter(({ id }) => id !== 'a'),
    })),
  }))
  await one.saver.flush()
  other.set('a', { x: 5 })
  await other.saver.flush()
  assert.deepEqual(idsOf(await stored()).sort(), ['a', 'b'])
  const [notice] = other.saver.get().notices
  assert.ok(notice?.kind === 'merged')
  assert.deepEqual(
    notice.layers.map(({ kind, layer }) => [kind, layer.id]),
    [['deleted_there', 'a']],
  )
  other.saver.dismiss(notice)
  assert.deepEqual(other.saver.get().notices, [])
})

test('a version that the element got by itself is taken, and keeps what was changed meanwhile', async (t) => {
  const { openEditor, direct, design, stored } = await startSaving(t)
  const editor = await openEditor({ delays: { quietMs: 60_000, longestMs: 60_000 } })
  const changed = await direct.designs.change(design.id, { name: 'Fixed' }).withResponse()
  editor.add('b')
  editor.saver.adopt({ design: changed.data, etag: changed.etag ?? '' })
  await editor.saver.flush()
  const { name, document } = await stored()
  assert.deepEqual([name, idsOf({ document }), editor.store.get().design.name], ['Fixed', ['a', 'b'], 'Fixed'])
})

test('a revision is restored as one step of undo', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const editor = await openEditor()
  editor.add('b')
  await editor.saver.flush()
  editor.add('c')
  await editor.saver.restoreRevision(1)
  assert.deepEqual([idsOf(await stored()), idsOf(editor.store.get())], [['a'], ['a']])
  assert.deepEqual([editor.save(), (await stored()).revision], ['saved', 4])
  editor.store.undo()
  await editor.saver.flush()
  assert.deepEqual(idsOf(await stored()), ['a', 'b', 'c'])
})
