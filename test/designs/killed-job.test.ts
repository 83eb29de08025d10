import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseLeftJobs } from '../../src/platform/jobs.ts'
import {
  distinctSteps,
  finalizeUndisturbed,
  killAtEach,
  openScene,
  requireNothingLeft,
  untilNoJobs,
} from './killing.ts'

test('killed while a job finalizes, nothing is half-done, finalizing again gives the same files, and the job does no more', async (t) => {
  const scene = await openScene(t)
  const undisturbed = await finalizeUndisturbed(scene, true)
  const first = undisturbed.steps.findIndex((name) => name.includes('add_job')) + 1
  const distinct = distinctSteps(undisturbed, [/add_job/, /^job sent/, /^insert into "events"/])
  // Every other one of those that are new: the rest is as without a job.
  const killAts = distinct.filter((killAt, index) => killAt >= first && index % 2 === 0)
  const outcomes = await killAtEach(scene, killAts, true)
  assert.ok(outcomes.filter(({ wasKilled }) => wasKilled).length > killAts.length - 3)
  const countEvents = async (): Promise<number> =>
    (await scene.here.db.selectFrom('events').selectAll().execute()).length
  const before = await countEvents()
  await releaseLeftJobs(scene.here.db)
  scene.here.startJobs()
  await untilNoJobs(scene)
  assert.equal(await countEvents(), before)
  await requireNothingLeft(scene)
})
