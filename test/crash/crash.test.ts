import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { crashAgainAndAgain } from './crashes.ts'

// `npm run bench crash` repeats this with fifty kills.
test('after kills under load, each acknowledged order exists once, and its events arrive once and in order', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-crash-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const outcome = await crashAgainAndAgain({ dataDir, cycles: 2, databaseEvery: 2, customers: 3, longestLife: 20 })
  assert.deepEqual(outcome.faults, [])
  // If no request was repeated, no kill has interrupted a request, and the test has tested nothing.
  assert.ok(outcome.orders > 0 && outcome.events > 0 && outcome.repeated > 0, JSON.stringify(outcome))
})
