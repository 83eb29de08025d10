import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../lib/until.ts'
import { finalizeAndStop, openScene, recordsOf } from './killing.ts'

const DONE = { status: 'finalized', finalizations: 1, prices: 1, events: 1 }

test('on SIGTERM during a finalization, the service completes it, responds, and exits with 0', async (t) => {
  const scene = await openScene(t)
  const designId = await scene.draft('Stopped')
  const { status, connection, exitCode } = await finalizeAndStop(scene, designId, false)
  assert.deepEqual([status, exitCode, await recordsOf(scene, designId)], [200, 0, DONE])
  // Without this header, the shutdown would wait for the client to disconnect.
  assert.equal(connection, 'close')
})

test('on SIGTERM during a job, the service completes it and exits with 0', async (t) => {
  const scene = await openScene(t)
  const designId = await scene.draft('Stopped later')
  const { status, exitCode } = await finalizeAndStop(scene, designId, true)
  assert.deepEqual([status, exitCode, await recordsOf(scene, designId)], [202, 0, DONE])
})

test('a client that disconnects does not cancel its operation', async (t) => {
  const scene = await openScene(t)
  const { here, token } = scene
  const designId = await scene.draft('Gone')
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = here.db.transaction().execute(async (trx) => {
    await trx.selectFrom('designs').select('id').where('id', '=', designId).forUpdate().execute()
    held.resolve()
    await release.promise
  })
  await held.promise
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${token}` }
  const options = { method: 'POST', headers, signal: leaving.signal }
  const asking = assert.rejects(fetch(`${here.baseUrl}/designs/${designId}/finalize`, options), { name: 'AbortError' })
  await here.untilBlocked()
  leaving.abort()
  await asking
  release.resolve()
  await holding
  await until('the finalization', async () => (await recordsOf(scene, designId))?.status === 'finalized')
  assert.deepEqual(await recordsOf(scene, designId), DONE)
})
