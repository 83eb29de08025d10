import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSize, writeSize } from './size.ts'

test('a size is read with its unit, and without one it is refused', () => {
  const sizes = ['5 GB', '5gb', '1,5 MB', '1.5 MB', '0 kB', '2 TB']
  assert.deepEqual(sizes.map(readSize), [5e9, 5e9, 1.5e6, 1.5e6, 0, 2e12])
  assert.deepEqual(['5', '', 'GB', '5 GiB', '-1 GB', '1 000 MB'].map(readSize), Array(6).fill(undefined))
})

test('a size is written as it is read', () => {
  for (const bytes of [0, 500, 123_456_789, 5e9, 1_234_567_890_123]) {
    assert.equal(readSize(writeSize(bytes, String)), bytes)
  }
})
