import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { reuseBriefly } from './reuse-briefly.ts'

test('callers share a running check and its outcome, and a later caller starts a new one', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  let runs = 0
  const check = reuseBriefly(async () => {
    runs += 1
    const run = runs
    await delay(20)
    return run
  }, 50)
  assert.deepEqual(await Promise.all([check(), check()]), [1, 1])
  now = 50
  assert.equal(await check(), 1)
  now = 51
  assert.equal(await check(), 2)
})

test('every caller of a check that fails gets the error, which is reused for the same time as a success', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  let runs = 0
  const check = reuseBriefly(async () => {
    runs += 1
    if (runs === 1) throw new Error('unavailable')
  }, 20)
  await Promise.all([check(), check()].map((one) => assert.rejects(one, /unavailable/)))
  now = 21
  await check()
})
