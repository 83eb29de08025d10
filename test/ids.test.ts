import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL_PREFIXES } from './ids.ts'

test('no two features share a kind of record or a prefix of ids', () => {
  for (const names of [ALL_PREFIXES.flatMap(Object.keys), ALL_PREFIXES.flatMap(Object.values)]) {
    assert.equal(new Set(names).size, names.length)
  }
})
