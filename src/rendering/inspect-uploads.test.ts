import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refused, RenderFailed, RenderQueueFull } from './errors.ts'
import { inspectWith } from './inspect-uploads.ts'

const inspectFailing = (error: Error) => inspectWith(() => Promise.reject(error))({ path: '/nowhere' }, 'usr_1')

test('reports why a file was rejected', async () => {
  const inspection = await inspectFailing(new Refused('asset_unreadable', 'The file is empty.'))
  assert.deepEqual(inspection, { outcome: 'asset_unreadable', detail: 'The file is empty.' })
})

test('reports "busy" if no process could inspect the file', async () => {
  for (const error of [new RenderQueueFull(), new RenderFailed('unavailable', 'closed')]) {
    assert.deepEqual(await inspectFailing(error), { outcome: 'busy' })
  }
})

test('rethrows the error of a job that failed, with its stack', async () => {
  const error = new RenderFailed('error', 'TypeError: x is undefined\n    at inspectImage')
  await assert.rejects(inspectFailing(error), (thrown) => thrown === error)
})

test('reports a failed system call as storage_unavailable', async () => {
  const error = new RenderFailed('error', 'ENOSPC', 'ENOSPC')
  await assert.rejects(inspectFailing(error), { code: 'storage_unavailable', cause: error })
})

test('passes the owner of the upload to the renderer', async () => {
  const inspect = inspectWith((_file: { path: string }, options) => Promise.resolve(options))
  assert.deepEqual(await inspect({ path: '/nowhere' }, 'usr_1'), { outcome: 'accepted', info: { owner: 'usr_1' } })
})
