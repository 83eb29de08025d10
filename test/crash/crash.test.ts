import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { crashAgainAndAgain } from './crashes.ts'

// `npm run bench crash` does it fifty times.
test('killed in full trade: each acknowledged order is there once, and everybody is told of it once and in order', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-crash-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const outcome = await crashAgainAndAgain({ dataDir, cycles: 2, databaseEvery: 2, customers: 3, longestLife: 20 })
  assert.deepEqual(outcome.faults, [])
  // Otherwise nobody was in the middle of anything.
  assert.ok(outcome.orders > 0 && outcome.events > 0 && outcome.repeated > 0, JSON.stringify(outcome))
})
