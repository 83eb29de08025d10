import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultProcesses } from './processes.ts'

const GIB = 2 ** 30

test('there is one API process for each core, within what the memory and the database allow', () => {
  const embedded = { isEmbedded: true }
  const own = { isEmbedded: false }
  assert.equal(defaultProcesses(embedded, { cores: 1, bytes: 16 * GIB }), 1)
  assert.equal(defaultProcesses(embedded, { cores: 2, bytes: 16 * GIB }), 2)
  assert.equal(defaultProcesses(embedded, { cores: 16, bytes: 64 * GIB }), 4)
  assert.equal(defaultProcesses(own, { cores: 16, bytes: 64 * GIB }), 8)
  assert.equal(defaultProcesses(own, { cores: 8, bytes: 2.5 * GIB }), 2)
  assert.equal(defaultProcesses(own, { cores: 8, bytes: GIB / 2 }), 1)
})
