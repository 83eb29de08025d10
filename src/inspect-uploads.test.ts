import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectWith } from './inspect-uploads.ts'
import { Refused, RenderFailed, RenderQueueFull } from './rendering/index.ts'

const inspectFailing = (error: Error) => inspectWith(() => Promise.reject(error))({ path: '/nowhere' }, 'usr_1')

test('a file is refused for what is wrong with it', async () => {
  const inspection = await inspectFailing(new Refused('asset_unreadable', 'The file is empty.'))
  assert.deepEqual(inspection, { outcome: 'asset_unreadable', detail: 'The file is empty.' })
})

test('of a file that no process could look at nothing is said', async () => {
  for (const error of [new RenderQueueFull(), new RenderFailed('unavailable', 'closed')]) {
    assert.deepEqual(await inspectFailing(error), { outcome: 'busy' })
  }
})

test('a job that threw is a fault of this program, never "come back later", and its stack reaches the log', async () => {
  const error = new RenderFailed('error', 'TypeError: x is undefined\n    at inspectImage')
  await assert.rejects(inspectFailing(error), (thrown) => thrown === error)
})

test('a system call that failed in a job is a fault of the storage', async () => {
  const error = new RenderFailed('error', 'ENOSPC', 'ENOSPC')
  await assert.rejects(inspectFailing(error), { code: 'storage_unavailable', cause: error })
})

test('the renderer learns whose upload it looks at', async () => {
  const inspect = inspectWith((_file: { path: string }, who) => Promise.resolve(who))
  assert.deepEqual(await inspect({ path: '/nowhere' }, 'usr_1'), { outcome: 'accepted', info: { owner: 'usr_1' } })
})
