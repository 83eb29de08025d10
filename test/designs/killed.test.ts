import { test } from 'node:test'
import { distinctSteps, finalizeUndisturbed, killAtEach, openScene, requireNothingLeft } from './killing.ts'

test('killed at any step of a finalization, nothing is half-done, and finalizing again gives the same files', async (t) => {
  const scene = await openScene(t)
  const killAts = distinctSteps(await finalizeUndisturbed(scene, false), [
    /^begin/,
    /^file rename/,
    /^print job sent/,
    /^print job answered/,
    /^insert into "finalizations"/,
    /^insert into "?events/,
    /^committed/,
  ])
  await killAtEach(scene, killAts, false)
  await requireNothingLeft(scene)
})
