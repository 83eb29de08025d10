import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { compress } from 'woff2-encoder'
import { makeFont } from './factory.ts'
import { unpackTables } from './unpack.ts'

test('a trap of the WOFF2 decoder is rethrown, so that the process ends', async (t) => {
  // The size exceeds the initial memory of the decoder, but not a hundred times the packed size.
  const large = Buffer.concat([randomBytes(200_000), Buffer.alloc(14_000_000)])
  const font = await compress(await makeFont({ edit: (tables) => tables.set('cvt ', large) }))
  refuseWasmMemory(t)
  await assert.rejects(unpackTables(font), { name: 'RuntimeError' })
})

function refuseWasmMemory(t: TestContext): void {
  const { WebAssembly: api } = globalThis as unknown as { WebAssembly: { Memory: { prototype: { grow(): number } } } }
  t.mock.method(api.Memory.prototype, 'grow', () => {
    throw new RangeError('No memory is left')
  })
}
