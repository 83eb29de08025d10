import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sharp } from 'sharp'
import { bytesInMemory } from './bytes-in-memory.ts'
import { claimedBytes, MAX_DECODING_BYTES, withDecoder } from './decoding-memory.ts'
import { photo, pngNumbers, scratch, withPngChunks } from './factory.ts'
import { openImage, withColors } from './open-image.ts'

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

test('a process decodes two images at once, however little memory they need', async () => {
  let [running, most] = [0, 0]
  const all = Array.from({ length: 6 }, () =>
    withDecoder(1, async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
    }),
  )
  await Promise.all(all)
  assert.equal(most, 2)
})

test('a PNG whose colours are stated by numbers counts with its file, which memory holds once and only while it is read', async (t) => {
  const { put } = scratch(t)
  const plain = await photo(150, 150).png({ compressionLevel: 0 }).toBuffer()
  const [gamma, rest] = [pngNumbers(100_000), Buffer.alloc(32 * 1024 * 1024)]
  const file = withPngChunks(plain, { gAMA: gamma, teSt: rest })
  const [path, ordinary] = [put(file), put(plain)]
  const bytesOf = async (path: string) => bytesInMemory(path, await openImage(path).metadata())
  assert.equal((await bytesOf(path)) - (await bytesOf(ordinary)), file.length)

  const memoryOf = (colors: Sharp) => (colors as unknown as { options: { input: { buffer: Buffer } } }).options.input
  const { memory, held } = await withColors(path, { widthPx: 10, heightPx: 10 }, async (colors) => {
    await colors.raw().toBuffer()
    const memory = memoryOf(colors).buffer.buffer
    return { memory, held: memory.byteLength }
  })
  assert.ok(held >= file.length && held < file.length * 1.01, `${held} bytes for a file of ${file.length}`)
  assert.equal(memory.byteLength, 0)
})
