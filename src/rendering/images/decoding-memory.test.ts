import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimedBytes, MAX_DECODING_BYTES, withDecoder } from './decoding-memory.ts'

test('images that do not fit into memory together are decoded one after another', async () => {
  const log: string[] = []
  const first = Promise.withResolvers<void>()
  const decode = (name: string, share: number, until: Promise<void> = Promise.resolve()) =>
    withDecoder(MAX_DECODING_BYTES * share, async () => {
      log.push(`${name} begins`)
      await until
      log.push(`${name} ends`)
    })
  const all = [decode('large', 0.7, first.promise), decode('other', 0.7), decode('small', 0.1)]
  await all[2]
  assert.deepEqual(log, ['large begins', 'small begins', 'small ends'])
  first.resolve()
  await Promise.all(all)
  assert.deepEqual(log.slice(3), ['large ends', 'other begins', 'other ends'])
})

test('an image that fails releases its memory, and one that is too large is decoded alone', async () => {
  await assert.rejects(withDecoder(MAX_DECODING_BYTES, () => Promise.reject(new Error('damaged'))))
  assert.equal(await withDecoder(MAX_DECODING_BYTES * 2, async () => 'decoded'), 'decoded')
})

test('a TIFF claims the memory for all of its samples, up to the limit of a process', () => {
  const size = { width: 5_000, height: 5_000, channels: 4 } as const
  const tiff = { format: 'tiff', hasAlpha: false, isProgressive: false, ...size } as const
  assert.equal(claimedBytes({ ...tiff, depth: 'uchar' }), 100_000_000)
  assert.equal(claimedBytes({ ...tiff, depth: 'ushort' }), 200_000_000)
  assert.equal(claimedBytes({ ...tiff, depth: 'ushort', width: 20_000 }), MAX_DECODING_BYTES)
})
