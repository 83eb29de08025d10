import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Texts } from '@platen/ui'
import { createNoticeQueue } from '../../../../ui/src/components/status/notice-queue.ts'
import { finalizeDesign } from '../../session/finalize.ts'
import { createPanelView } from '../../state/panel-view.ts'
import { SaveError } from '../save-error.ts'
import { idsOf, isSave, startSaving, until } from './saver.fixture.ts'

test('a design that was changed elsewhere is shown, and finalized only when the customer does so again', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const [idle, other] = [await openEditor(), await openEditor()]
  other.add('b')
  await other.saver.flush()
  const notices = createNoticeQueue()
  const finalize = () =>
    finalizeDesign({
      ...{ client: idle.client, store: idle.store, saver: idle.saver, notices },
      texts: { text: (key: string) => key } as Texts,
      panels: { view: createPanelView() } as never,
      events: { finalized: () => undefined, problem: (error) => assert.fail(String(error)) },
    })
  await finalize()
  assert.deepEqual([idsOf(idle.store.get()), (await stored()).status], [['a', 'b'], 'draft'])
  assert.deepEqual(
    notices.list().map(({ text }) => text),
    ['editor.finalizeChanged'],
  )
  assert.equal(idle.store.get().isEditable, true)
  await finalize()
  assert.equal((await stored()).status, 'finalized')
})

test('a revision can be restored after a change elsewhere, once the customer has seen it', async (t) => {
  const { openEditor, stored } = await startSaving(t)
  const [idle, other] = [await openEditor(), await openEditor()]
  other.add('b')
  await other.saver.flush()
  await assert.rejects(idle.saver.restoreRevision(1), SaveError)
  assert.deepEqual(idsOf(idle.store.get()), ['a', 'b'])
  await idle.saver.restoreRevision(1)
  assert.deepEqual(idsOf(await stored()), ['a'])
})

test('an editor that is shown again takes what was changed elsewhere, and saves nothing', async (t) => {
  const { openEditor, saves } = await startSaving(t)
  const [idle, other] = [await openEditor(), await openEditor()]
  other.add('b')
  await other.saver.flush()
  const count = saves().length
  idle.page.return()
  await until(() => idsOf(idle.store.get()).includes('b'))
  await idle.saver.flush()
  assert.deepEqual([idle.save(), idle.saver.etag(), saves().length], ['saved', other.saver.etag(), count])
})

test('a change that is taken back after its response was lost is taken back on the service', async (t) => {
  const { openEditor, fault, saves, stored } = await startSaving(t)
  const editor = await openEditor()
  fault((request) => (isSave(request) && saves().length === 1 ? 'lose' : 'pass'))
  editor.add('b')
  await until(() => editor.save() === 'offline')
  editor.store.undo()
  await until(() => editor.save() === 'saved')
  assert.deepEqual([idsOf(await stored()), idsOf(editor.store.get()), saves().length], [['a'], ['a'], 2])
})
