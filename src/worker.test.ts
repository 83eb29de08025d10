import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../test/harness.ts'
import { allJobs } from './worker.ts'

test('every job has a unique name, which begins with the name of its feature', async (t) => {
  const { services } = await startService(t)
  const names = allJobs(services).flatMap(({ name, formerNames = [] }) => [name, ...formerNames])
  assert.equal(new Set(names).size, names.length)
  for (const { name } of allJobs(services)) assert.match(name, /^[a-z]+\.[a-z]+(_[a-z]+)*$/)
})
