import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  distinctSteps,
  finalizeUndisturbed,
  killAtEach,
  openScene,
  requireNothingLeft,
  resumeJobs,
  untilNoJobs,
} from './killing.ts'

test("killed during a job's finalization, a retry gives the same files, and the job ends", async (t) => {
  const scene = await openScene(t)
  const undisturbed = await finalizeUndisturbed(scene, true)
  const distinct = distinctSteps(undisturbed, [/add_job/, /^print job sent/, /^insert into "?events/])
  // Selects only the steps of the job itself, the ends of print jobs and the commits. The other steps are the same as
  // in a finalization without a job.
  const isOfJob = (step: string): boolean => /add_job|^print job|^insert into "events"|^committed #[13]/.test(step)
  const killAts = distinct.filter(isOfJob)
  assert.ok(killAts.length >= 5, `${killAts}`)
  await killAtEach(scene, killAts, true)
  const countEvents = async (): Promise<number> =>
    (await scene.here.db.selectFrom('events').selectAll().execute()).length
  const before = await countEvents()
  await resumeJobs(scene)
  scene.here.startJobs()
  await untilNoJobs(scene)
  assert.equal(await countEvents(), before)
  await requireNothingLeft(scene)
})
