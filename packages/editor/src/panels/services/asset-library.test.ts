import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Platen } from '@platen/client'
import { createAssetLibrary } from './asset-library.ts'

test('small pictures are freed when others need their memory, those that were used longest ago first', async () => {
  const open = new Set<ImageBitmap>()
  let loads = 0
  const decode = async () => {
    const bitmap = { width: 10, height: 10, close: () => open.delete(bitmap) } as unknown as ImageBitmap
    open.add(bitmap)
    return bitmap
  }
  const getThumbnail = async () => {
    loads += 1
    return new Response('')
  }
  const client = { assets: { getThumbnail } } as unknown as Pick<Platen, 'assets'>
  const library = createAssetLibrary(client, { mostPixels: 300, decode })
  const [a] = await Promise.all([library.thumbnail('a'), library.thumbnail('a')])
  await library.thumbnail('b')
  await library.thumbnail('c')
  assert.equal(await library.thumbnail('a'), a)
  assert.deepEqual([loads, open.size], [3, 3])
  await library.thumbnail('d')
  assert.equal(await library.thumbnail('a'), a)
  assert.deepEqual([loads, open.size], [4, 3])
  await library.thumbnail('b')
  assert.deepEqual([loads, open.size], [5, 3])
  library.dispose()
  assert.equal(open.size, 0)
})
