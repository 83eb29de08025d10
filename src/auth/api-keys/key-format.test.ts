import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isApiKeyFormed, newApiKey, visiblePartsOf } from './key-format.ts'

test('AK-1: keys of test and other installations have forms of their own, and both are accepted', () => {
  const [key, testKey] = [newApiKey(), newApiKey({ isTest: true })]
  assert.match(key, /^platen_[0-9A-Za-z]{38}$/)
  assert.match(testKey, /^platen_test_[0-9A-Za-z]{38}$/)
  for (const one of [key, testKey]) {
    assert.ok(isApiKeyFormed(one))
    assert.ok(!isApiKeyFormed(one.slice(0, -1)))
  }
  assert.ok(!isApiKeyFormed(testKey.replace('test', 'live')))
  assert.equal(visiblePartsOf(key).start.length, 'platen_'.length + 4)
  assert.equal(visiblePartsOf(testKey).start.length, 'platen_test_'.length + 4)
})
