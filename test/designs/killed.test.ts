import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distinctSteps, finalizeUndisturbed, killAtEach, openScene, requireNothingLeft } from './killing.ts'

test('killed at any step of a finalization, nothing is half-done, and finalizing again gives the same files', async (t) => {
  const scene = await openScene(t)
  const killAts = distinctSteps(await finalizeUndisturbed(scene, false), [
    /^begin/,
    /^file rename/,
    /^job sent/,
    /^answer of/,
    /^insert into "finalizations"/,
    /^insert into "events"/,
    /^committed/,
  ])
  const outcomes = await killAtEach(scene, killAts, false)
  // What runs beside may make a step more or fewer.
  assert.ok(outcomes.filter(({ wasKilled }) => wasKilled).length > killAts.length - 3)
  await requireNothingLeft(scene)
})
