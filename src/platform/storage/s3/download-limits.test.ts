import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDownloadLimits } from './download-limits.ts'

test('an account has 16 downloads at the same time, and gets another one when one has ended', () => {
  const begin = createDownloadLimits()
  const ends = Array.from({ length: 16 }, () => begin('usr_1'))
  assert.throws(() => begin('usr_1'))
  begin('usr_2')
  ends[0]?.()
  ends[0]?.()
  begin('usr_1')
  assert.throws(() => begin('usr_1'))
})

test('visitors of any number of IP addresses together leave half of the downloads to accounts', () => {
  const begin = createDownloadLimits()
  let begun = 0
  for (let address = 0; address < 40; address += 1) {
    for (let i = 0; i < 16; i += 1) {
      try {
        begin(`192.0.2.${address}`)
        begun += 1
      } catch {
        // The visitors have their half.
      }
    }
  }
  assert.equal(begun, 128)
  begin('usr_1')
})
