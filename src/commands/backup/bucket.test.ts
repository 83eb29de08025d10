import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startS3 } from '../../../test/fakes/s3.ts'
import { startService } from '../../../test/harness.ts'
import { PRINT_FILE } from '../../orders/factory.ts'
import { emptyPlace, runWith, startBackedUpShop } from './factory.ts'

test('backups in a bucket are incremental, verified, and restored without writing to the bucket', async (t) => {
  const s3 = await startS3(t, { pageSize: 3 })
  const { run, token, uploadImage } = await startBackedUpShop(t, s3.env)
  // The URL has no region and no endpoint, so those of the storage are used.
  const target = 's3://platen-test/backups'
  const same = await run('backup', 's3://platen-test/shop')
  assert.match(same.err, /is in the storage, whose loss the backup must survive/)
  const first = await run('backup', target)
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /Stored files: 2 copied /)
  await uploadImage('#993366')
  assert.match(
    (await run('backup', target)).out,
    /Stored files: 1 copied \(\d+ bytes\), 2 were in the target already\./,
  )

  s3.requests.length = 0
  const listed = await run('backup', 'list', target)
  assert.equal(listed.out.split('\n').length, 3, listed.out)
  const verified = await run('backup', 'verify', target)
  assert.deepEqual([verified.code, verified.err], [0, ''])
  const { PLATEN_STORAGE_URL: storage, ...credentials } = s3.env
  const place = await emptyPlace(t)
  const restored = await runWith({ ...place.env, ...credentials }, ['restore', storage.replace('/shop', '/backups')])
  assert.equal(restored.code, 0, restored.err)
  assert.deepEqual(new Set(s3.requests.map(({ method }) => method)), new Set(['GET']))

  const copy = await startService(t, place)
  const { body: orders } = await copy.request('GET', '/orders', { token })
  const file = await copy.request('GET', `/designs/${orders.data[0].items[0].designId}/files/print`, { token })
  assert.deepEqual(file.body, PRINT_FILE)

  const before = s3.objects.size
  const pruned = await run('backup', 'prune', target, '--keep-last', '1')
  assert.equal(pruned.code, 0, pruned.err)
  assert.match(pruned.out, /\nRemoved: backups 1, files [1-9]\d* \(\d+ bytes\)\. Kept: backups 1\.\n$/)
  assert.ok(s3.objects.size < before)
  assert.equal((await run('backup', 'verify', target)).code, 0)

  for (const [key, bytes] of s3.objects) {
    if (key.startsWith('backups/blobs') && bytes.equals(PRINT_FILE)) s3.objects.set(key, Buffer.from('%PDF damaged'))
  }
  const damaged = await run('backup', 'verify', target)
  assert.match(damaged.err, /1 stored files of the backup .* are missing or damaged/)
  for (const key of s3.objects.keys()) if (key.startsWith('backups/backups/')) s3.objects.delete(key)
  assert.match((await run('backup', 'verify', target)).err, /contains no complete backup/)
})
