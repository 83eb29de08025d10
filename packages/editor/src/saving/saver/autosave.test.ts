import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { idsOf, isSave, startSaving, until } from './saver.fixture.ts'

test('changes are saved together after a pause, with the tag of the version that they change', async (t) => {
  const { openEditor, saves, stored } = await startSaving(t)
  const editor = await openEditor()
  for (let x = 1; x <= 20; x++) editor.set('a', { x })
  assert.equal(editor.save(), 'unsaved')
  await until(() => editor.save() === 'saved')
  assert.deepEqual(
    saves().map(({ headers }) => headers['if-match']),
    ['"1"'],
  )
  editor.set('a', { y: 7 })
  await until(() => editor.save() === 'saved')
  assert.equal(saves()[1]?.headers['if-match'], '"2"')
  const { revision, document } = await stored()
  assert.equal(revision, 3)
  assert.deepEqual(document.placements[0]?.layers[0], { ...editor.layers()[0] })
  assert.equal(editor.store.get().design.revision, 3)
})

test('changes without a pause are saved in between', async (t) => {
  const { openEditor, saves } = await startSaving(t)
  const longestMs = 300
  const editor = await openEditor({ delays: { quietMs: 600_000, longestMs } })
  const begin = performance.now()
  let x = 1
  await until(() => {
    x += 1
    editor.set('a', { x })
    return saves().length === 3
  })
  assert.ok(performance.now() - begin >= 3 * longestMs)
  await editor.saver.flush()
  assert.equal(editor.save(), 'saved')
})

// Without this order, a save that arrives late would overwrite a newer one, or fail with a conflict of its own making.
test('no save begins before the last one has ended, and the last one has what is newest', async (t) => {
  const { openEditor, saves, stored, fault } = await startSaving(t)
  const editor = await openEditor()
  const held = Promise.withResolvers<'pass'>()
  fault((request) => (isSave(request) ? held.promise : 'pass'))
  editor.add('b')
  await until(() => saves().length === 1)
  assert.equal(editor.save(), 'saving')
  editor.add('c')
  await wait(300)
  const flushed = editor.saver.flush()
  await wait(100)
  assert.equal(saves().length, 1)
  held.resolve('pass')
  await flushed
  assert.deepEqual(idsOf(await stored()), ['a', 'b', 'c'])
  assert.equal(saves().length, 2)
})

test('flush saves at once and resolves when the service has everything', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const editor = await openEditor({ delays: { quietMs: 60_000, longestMs: 60_000 } })
  await editor.saver.flush()
  editor.add('b')
  await editor.saver.flush()
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
  assert.equal(editor.saver.etag(), '"2"')
})

test('a page that is hidden saves at once', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const editor = await openEditor({ delays: { quietMs: 60_000, longestMs: 60_000 } })
  editor.add('b')
  editor.page.hide()
  await until(() => editor.save() === 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
})

test('undo and redo reach beyond saves, and are saved', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const editor = await openEditor()
  for (const id of ['b', 'c', 'd']) {
    editor.add(id)
    await editor.saver.flush()
  }
  for (let i = 0; i < 3; i++) editor.store.undo()
  await editor.saver.flush()
  assert.deepEqual(idsOf(await stored()), ['a'])
  editor.store.redo()
  await editor.saver.flush()
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
})

test('name and variant are saved, and a change that is taken back is not', async (t) => {
  const { openEditor, stored, saves } = await startSaving(t)
  const editor = await openEditor()
  const { design } = editor.store.get()
  editor.store.set({ design: { ...design, name: 'Renamed' } })
  await editor.saver.flush()
  assert.equal((await stored()).name, 'Renamed')
  editor.add('b')
  editor.store.undo()
  assert.equal(editor.save(), 'saved')
  await wait(200)
  assert.equal(saves().length, 1)
})

test('a stopped saver saves what is left and nothing afterwards', async (t) => {
  const { openEditor, stored, saves } = await startSaving(t)
  const editor = await openEditor()
  editor.add('b')
  await editor.saver.stop()
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
  editor.add('c')
  await wait(200)
  assert.equal(saves().length, 1)
})

test('a saver that is stopped during a save also saves the edits made since', async (t) => {
  const { openEditor, stored, saves, fault } = await startSaving(t)
  const editor = await openEditor()
  const held = Promise.withResolvers<'pass'>()
  fault((request) => (isSave(request) && saves().length === 1 ? held.promise : 'pass'))
  editor.add('b')
  await until(() => saves().length === 1)
  editor.add('c')
  const stopped = editor.saver.stop()
  held.resolve('pass')
  await stopped
  assert.deepEqual(idsOf(await stored()), ['a', 'b', 'c'])
  assert.equal(saves().length, 2)
})
