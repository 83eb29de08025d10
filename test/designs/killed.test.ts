import { test } from 'node:test'
import { distinctSteps, finalizeUndisturbed, killAtEach, openScene, requireNothingLeft } from './killing.ts'

test('killed at any step, a finalization leaves no partial state, and a retry gives the same files', async (t) => {
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
