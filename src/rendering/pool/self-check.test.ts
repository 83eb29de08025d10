import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RenderFailed } from '../errors.ts'
import { createSelfCheck } from './self-check.ts'

/** Creates a self-check. The test controls its clock and its trivial job. */
function setUp(run: () => Promise<unknown>) {
  const state = { now: 1_000_000, lastDone: Number.NEGATIVE_INFINITY, runs: 0, run }
  const isWorking = createSelfCheck({
    run: () => {
      state.runs += 1
      return state.run()
    },
    lastDoneAt: () => state.lastDone,
    now: () => state.now,
  })
  return { state, isWorking }
}

const fails = () => Promise.reject(new RenderFailed('unavailable', 'none'))

test('a trivial job runs once in ten seconds, and simultaneous callers share it', async () => {
  const { state, isWorking } = setUp(async () => undefined)
  assert.deepEqual(await Promise.all([isWorking(), isWorking(), isWorking()]), [true, true, true])
  state.now += 9_000
  await isWorking()
  assert.equal(state.runs, 1)
  state.now += 2_000
  await isWorking()
  assert.equal(state.runs, 2)
})

test('a recent successful job replaces the check', async () => {
  const { state, isWorking } = setUp(fails)
  state.lastDone = state.now - 1_000
  assert.equal(await isWorking(), true)
  assert.equal(state.runs, 0)
})

test('after a failed trivial job, a pool counts as not working until a job succeeds', async () => {
  const { state, isWorking } = setUp(fails)
  assert.equal(await isWorking(), false)
  assert.equal(await isWorking(), false)
  assert.equal(state.runs, 1)
  state.now += 1_000
  state.lastDone = state.now
  assert.equal(await isWorking(), true)
})

test('while a check waits for busy processes the previous result holds, for a limited time', async () => {
  const { state, isWorking } = setUp(() => new Promise(() => undefined))
  assert.equal(await isWorking(), true)
  state.now += 29_000
  assert.equal(await isWorking(), true)
  state.now += 2_000
  assert.equal(await isWorking(), false)
  // The pool counts as working, because its busy processes complete jobs.
  state.lastDone = state.now
  assert.equal(await isWorking(), true)
})
