import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from '../../../../client/test/fault-proxy.ts'
import { SaveError } from '../save-error.ts'
import { type Decide, idsOf, isSave, QUICK, startSaving, until } from './saver.fixture.ts'

const refuseSaves: Decide = (request) => (isSave(request) ? 'refuse' : 'pass')
const pass: Decide = () => 'pass'
const codesOf = (problems: readonly { code: string }[]) => problems.map(({ code }) => code)

test('without a connection, saving goes on by itself with what is newest', async (t) => {
  const { openEditor, stored, fault, saves } = await startSaving(t)
  const editor = await openEditor()
  fault(refuseSaves)
  editor.add('b')
  await until(() => editor.save() === 'offline')
  editor.add('c')
  await until(() => saves().length >= 4)
  assert.deepEqual(codesOf(editor.problems), ['connection_failed'])
  assert.equal(editor.saver.get().problem?.message, 'saveOffline')
  await assert.rejects(
    editor.saver.flush(),
    (error) => error instanceof SaveError && error.problem.behaviour === 'retry',
  )
  fault(pass)
  await until(() => editor.save() === 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b', 'c'])
  assert.equal(editor.saver.get().problem, undefined)
})

/** Records when the saves arrive, and decides about each by the number of those before it. */
function recordSaves(decide: (earlier: number) => Fault): { decide: Decide; times: number[] } {
  const times: number[] = []
  return {
    times,
    decide: (request) => (isSave(request) ? decide(times.push(performance.now()) - 1) : 'pass'),
  }
}

test('waits between attempts grow', async (t) => {
  const { openEditor, fault } = await startSaving(t)
  const editor = await openEditor({ delays: { ...QUICK, retryMs: 200, longestRetryMs: 60_000 } })
  const { decide, times } = recordSaves(() => 'refuse')
  fault(decide)
  editor.add('b')
  await until(() => times.length === 4)
  const [first = 0, second = 0, third = 0, fourth = 0] = times
  // A wait is shortened by a quarter at most.
  assert.ok(second - first >= 149 && third - second >= 299 && fourth - third >= 599, times.join())
  fault(pass)
})

test('the return of the connection ends the wait for the next attempt', async (t) => {
  const { openEditor, fault } = await startSaving(t)
  const editor = await openEditor({ delays: { ...QUICK, retryMs: 600_000, longestRetryMs: 600_000 } })
  fault(refuseSaves)
  editor.add('b')
  await until(() => editor.save() === 'offline')
  fault(pass)
  editor.page.return()
  await until(() => editor.save() === 'saved')
})

for (const status of [429, 503]) {
  test(`after ${status}, no attempt comes before the time of Retry-After, whatever the customer does`, async (t) => {
    const { openEditor, fault } = await startSaving(t)
    const editor = await openEditor()
    const body = { code: status === 429 ? 'rate_limited' : 'service_unavailable', detail: 'Wait.' }
    const headers = { 'retry-after': '2' }
    const { decide, times } = recordSaves((earlier) => (earlier === 0 ? { status, headers, body } : 'pass'))
    fault(decide)
    editor.add('b')
    await until(() => editor.save() === 'offline')
    assert.equal(editor.saver.get().problem?.message, 'saveBusy')
    for (const id of ['c', 'd', 'e']) {
      editor.add(id)
      editor.page.return()
      await wait(100)
    }
    await until(() => editor.save() === 'saved')
    const [first = 0, second = 0, ...more] = times
    assert.ok(second - first >= 2_000, `${second - first} ms`)
    assert.deepEqual(more, [])
  })
}

test('flush does not wait for a service that asks for a long pause', async (t) => {
  const { openEditor, fault, saves } = await startSaving(t)
  const editor = await openEditor()
  const headers = { 'retry-after': '600' }
  fault((request) => (isSave(request) ? { status: 429, headers, body: { code: 'rate_limited', detail: '' } } : 'pass'))
  editor.add('b')
  await until(() => editor.save() === 'offline')
  await assert.rejects(editor.saver.flush(), /rate_limited/)
  assert.equal(saves().length, 1)
})

test('after the end of the session, saving continues by itself as soon as there is a new one', async (t) => {
  const { openEditor, accessToken, stored } = await startSaving(t)
  let token = 'none'
  const editor = await openEditor({ token: () => token })
  editor.add('b')
  await until(() => editor.save() === 'signed_out')
  assert.deepEqual(
    editor.problems.map(({ behaviour, message }) => [behaviour, message]),
    [['sign_in', 'saveSignedOut']],
  )
  editor.add('c')
  token = accessToken
  await until(() => editor.save() === 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b', 'c'])
})

test('another account gets nothing of the work of the first one', async (t) => {
  const { openEditor, service, stored, saves } = await startSaving(t)
  const { accessToken: stranger } = await service.signUp()
  const editor = await openEditor({ token: () => stranger })
  editor.add('b')
  await until(() => editor.save() === 'refused')
  assert.equal(editor.saver.get().problem?.message, 'saveDesignGone')
  editor.add('c')
  await wait(200)
  assert.equal(saves().length, 1)
  assert.deepEqual(idsOf(await stored()), ['a'])
})

test('the work on a design that was finalized meanwhile can be saved as a new design', async (t) => {
  const { openEditor, direct, design, saves } = await startSaving(t)
  const editor = await openEditor()
  await direct.designs.finalize(design.id)
  editor.add('b')
  await until(() => editor.save() === 'refused')
  const { isEditable, design: info, save } = editor.store.get()
  assert.deepEqual(
    [isEditable, info.status, save.kind === 'refused' && save.code],
    [false, 'finalized', 'design_not_draft'],
  )
  assert.equal(editor.saver.get().problem?.message, 'saveFinalized')
  const copy = await editor.saver.saveCopy()
  assert.deepEqual([idsOf(copy), copy.status, copy.name], [['a', 'b'], 'draft', 'Card'])
  assert.equal(saves().length, 1)
})

test('a copy of a design from a template keeps the template, and is made once although a response was lost', async (t) => {
  const { openEditor, direct, design, fault } = await startSaving(t, { lock: { remove: true } })
  const editor = await openEditor()
  await direct.designs.finalize(design.id)
  editor.add('b')
  await until(() => editor.save() === 'refused')
  let lost = 0
  fault(({ method, path }) => {
    if (method !== 'POST' || !path.includes('duplicate') || lost > 0) return 'pass'
    lost += 1
    return 'lose'
  })
  const copy = await editor.saver.saveCopy()
  assert.equal(lost, 1)
  assert.deepEqual([copy.templateId, copy.status, idsOf(copy)], [design.templateId, 'draft', ['a', 'b']])
  const { data } = await direct.designs.list()
  assert.deepEqual(data.map(({ id }) => id).sort(), [design.id, copy.id].sort())
})

test('a design that was deleted meanwhile says so', async (t) => {
  const { openEditor, direct, design } = await startSaving(t)
  const editor = await openEditor()
  await direct.designs.archive(design.id)
  editor.add('b')
  await until(() => editor.save() === 'refused')
  assert.equal(editor.saver.get().problem?.message, 'saveArchived')
})

test('a design that is being finalized is saved if that fails', async (t) => {
  const { openEditor, fault, stored, saves } = await startSaving(t)
  const editor = await openEditor()
  const body = { code: 'design_not_draft', detail: 'No draft.', designStatus: 'finalizing' }
  fault((request) => (isSave(request) && saves().length === 1 ? { status: 409, body } : 'pass'))
  editor.add('b')
  await until(() => editor.save() === 'offline')
  assert.equal(editor.saver.get().problem?.message, 'saveFinalizing')
  assert.equal(editor.store.get().isEditable, true)
  await until(() => editor.save() === 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
})

test('a design of an archived product is saved with a warning', async (t) => {
  const { openEditor, service, admin, product, stored } = await startSaving(t)
  const editor = await openEditor()
  await service.request('POST', `/products/${product.id}/archive`, { token: admin })
  editor.add('b')
  await editor.saver.flush()
  assert.deepEqual([editor.save(), idsOf(await stored())], ['saved', ['a', 'b']])
  assert.deepEqual(
    editor.problems.map(({ behaviour, message }) => [behaviour, message]),
    [['warn', 'saveProductUnavailable']],
  )
  editor.add('c')
  await editor.saver.flush()
  assert.equal(editor.problems.length, 1)
})

test('what the service refuses is named with its layer, and the next change is saved', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const editor = await openEditor()
  editor.add('b')
  editor.set('b', { x: 1.23456 })
  await until(() => editor.save() === 'refused')
  const { problem } = editor.saver.get()
  assert.deepEqual(
    [problem?.code, problem?.message, problem?.pointer, problem?.layerId],
    ['document_invalid', 'saveInvalid', '/document/placements/0/layers/1/x', 'b'],
  )
  await assert.rejects(editor.saver.flush(), SaveError)
  editor.set('b', { x: 1.235 })
  await until(() => editor.save() === 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
  assert.equal(editor.saver.get().problem, undefined)
})

test('a change that the template of the design forbids is named with its layer', async (t) => {
  const { openEditor, stored } = await startSaving(t, { lock: { move: true } })
  const editor = await openEditor()
  editor.add('b')
  await editor.saver.flush()
  editor.set('a', { x: 30 })
  await until(() => editor.save() === 'refused')
  const { problem } = editor.saver.get()
  assert.deepEqual([problem?.message, problem?.layerId], ['saveLayerLocked', 'a'])
  editor.store.undo()
  assert.equal(editor.save(), 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
})

test('undoing what the service refuses ends the problem without another save', async (t) => {
  const { openEditor, saves } = await startSaving(t)
  const editor = await openEditor()
  editor.set('a', { x: 1.23456 })
  await until(() => editor.save() === 'refused')
  editor.store.undo()
  assert.deepEqual([editor.save(), editor.saver.get().problem], ['saved', undefined])
  await wait(200)
  assert.equal(saves().length, 1)
})

test('too many layers and a full storage have words of their own', async (t) => {
  const { openEditor, fault, saves } = await startSaving(t)
  const editor = await openEditor()
  editor.add(...Array.from({ length: 200 }, (_, i) => `l${i}`))
  await until(() => editor.save() === 'refused')
  assert.equal(editor.saver.get().problem?.message, 'saveTooManyLayers')
  const body = { code: 'storage_quota_exceeded', detail: 'Full.', used: 2_000_000, quota: 1_500_000 }
  const count = saves().length
  fault((request) => (isSave(request) && saves().length === count + 1 ? { status: 413, body } : 'pass'))
  editor.store.undo()
  editor.add('b')
  await until(() => editor.saver.get().problem?.code === 'storage_quota_exceeded')
  const { message, values } = editor.saver.get().problem ?? {}
  assert.deepEqual([message, values?.['used'], values?.['quota']], ['saveQuota', 2, 2])
  editor.saver.resume()
  await until(() => editor.save() === 'saved')
})

test('a page of a proxy in place of a response counts as a lost connection', async (t) => {
  const { openEditor, fault, stored, saves } = await startSaving(t)
  const editor = await openEditor()
  const headers = { 'content-type': 'text/html' }
  fault((request) => (isSave(request) && saves().length === 1 ? { status: 404, headers, body: {} } : 'pass'))
  editor.add('b')
  await until(() => editor.save() === 'offline')
  assert.equal(editor.saver.get().problem?.message, 'saveOffline')
  await until(() => editor.save() === 'saved')
  assert.deepEqual(idsOf(await stored()), ['a', 'b'])
})
