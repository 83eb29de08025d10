import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCachedBytes } from './cached-bytes.ts'
import { createRequestContext, runInRequest } from './request-context.ts'

const KB = 1024

function startCache() {
  const made: string[] = []
  const cache = createCachedBytes({
    maxBytes: 64 * KB,
    maxEntryBytes: 16 * KB,
    atOnce: 1,
    waiting: { max: 100, whenFull: () => new Error('full') },
  })
  const read = (account: string, key: string, { bytes = KB, until = Promise.resolve() } = {}) =>
    cache.read(key, {
      account,
      make: async () => {
        made.push(`${account} ${key}`)
        await until
        return new Uint8Array(bytes)
      },
    })
  return { made, read }
}

test('results in progress are not lost, however many bytes they have', async () => {
  const { read } = startCache()
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
  const results = await Promise.all(keys.map((key) => read(key, key, { bytes: 15 * KB })))
  assert.ok(results.every(({ byteLength }) => byteLength === 15 * KB))
})

test('readers of one account share the work, and every account the finished result', async () => {
  const { made, read } = startCache()
  await Promise.all([read('a', 'key'), read('a', 'key')])
  await read('b', 'key')
  assert.deepEqual(made, ['a key'])
})

test('an account does not wait for the queue of another account that reads the same', async () => {
  const { read } = startCache()
  const { promise: until, resolve } = Promise.withResolvers<void>()
  const slow = [read('a', 'slow', { until }), read('a', 'key')]
  assert.equal((await read('b', 'key')).byteLength, KB)
  resolve()
  await Promise.all(slow)
})

test('a large result is returned and not kept, and a failure is tried again', async () => {
  const { made, read } = startCache()
  for (const _ of [1, 2]) assert.equal((await read('a', 'large', { bytes: 17 * KB })).byteLength, 17 * KB)
  await assert.rejects(read('a', 'failing', { until: Promise.reject(new Error('no')) }))
  assert.equal((await read('a', 'failing')).byteLength, KB)
  assert.deepEqual(made, ['a large', 'a large', 'a failing', 'a failing'])
})

test('readers get a result that waits after the client that asked for it first has left', async () => {
  const { read } = startCache()
  const { promise: until, resolve } = Promise.withResolvers<void>()
  const busy = read('a', 'slow', { until })
  let leave = (): void => undefined
  const onLeave = (listener: () => void) => {
    leave = listener
    return () => undefined
  }
  const first = runInRequest({ ...createRequestContext(), onLeave }, () => read('a', 'key'))
  const second = read('a', 'key')
  leave()
  resolve()
  assert.equal((await second).byteLength, KB)
  await Promise.all([busy, first])
})
