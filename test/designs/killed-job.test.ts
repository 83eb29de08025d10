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
  const distinct = distinctSteps(undisturbed, [/add_job/, /^print job sent/, /^insert into "events"/])
  const first = distinct.findIndex((step) => step.includes('add_job'))
  // Every other one: the rest is as without a job.
  const killAts = distinct.slice(first).filter((_, index) => index % 2 === 0)
  await killAtEach(scene, killAts, true)
  const countEvents = async (): Promise<number> =>
    (await scene.here.db.selectFrom('events').selectAll().execute()).length
  const before = await countEvents()
  await releaseLeftJobs(scene.here.db)
  scene.here.startJobs()
  await untilNoJobs(scene)
  assert.equal(await countEvents(), before)
  await requireNothingLeft(scene)
})
