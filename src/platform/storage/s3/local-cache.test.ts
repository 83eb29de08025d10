import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { access, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { until } from '../../../../test/lib/until.ts'
import { createRequestContext, currentRequest, runInRequest } from '../../concurrency/request-context.ts'
import { sha256Of, temporaryDir } from '../factory.ts'
import { openLocalCache } from './local-cache.ts'

const KIB = 1024

/** Creates a folder and functions to fill caches in it. */
async function prepare(t: TestContext) {
  const root = await temporaryDir(t)
  let fetched = 0
  const contents = new Map<string, Buffer>()
  return {
    root,
    fetched: () => fetched,
    add: (bytes = KIB): string => {
      const content = randomBytes(bytes)
      contents.set(sha256Of(content), content)
      return sha256Of(content)
    },
    fetch: (sha256: string) => async (): Promise<Readable> => {
      fetched += 1
      return Readable.from([contents.get(sha256) ?? Buffer.from('other bytes')])
    },
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Sets the timestamps of a file as if it was last used this number of minutes ago. */
async function age(path: string, minutes: number): Promise<void> {
  const then = new Date(Date.now() - minutes * 60_000)
  await utimes(path, then, then)
}

test('fetches bytes once for concurrent and later requests', async (t) => {
  const { root, add, fetch, fetched } = await prepare(t)
  const cache = await openLocalCache(root, 10 * KIB)
  const sha256 = add()
  const paths = await Promise.all(Array.from({ length: 5 }, () => cache.path(sha256, fetch(sha256))))
  paths.push(await cache.path(sha256, fetch(sha256)))
  assert.deepEqual([new Set(paths).size, fetched()], [1, 1])
  assert.equal(sha256Of(await readFile(paths[0] ?? '')), sha256)
})

// It would otherwise wait for the turns of the account whose request came first, and others with it.
test('a fetch that others share runs outside of the request that began it', async (t) => {
  const { root, add, fetch } = await prepare(t)
  const cache = await openLocalCache(root, 10 * KIB)
  const sha256 = add()
  let request: unknown = 'none yet'
  const fetchAndLook = () => {
    request = currentRequest()
    return fetch(sha256)()
  }
  await runInRequest({ ...createRequestContext(), account: 'usr_first' }, () => cache.path(sha256, fetchAndLook))
  assert.equal(request, undefined)
})

test('two processes share fetched bytes', async (t) => {
  const { root, add, fetch, fetched } = await prepare(t)
  const [one, other] = await Promise.all([openLocalCache(root, 10 * KIB), openLocalCache(root, 10 * KIB)])
  const sha256 = add()
  const paths = await Promise.all([one.path(sha256, fetch(sha256)), other.path(sha256, fetch(sha256))])
  assert.equal(paths[0], paths[1])
  assert.ok(fetched() <= 2)
  await other.path(sha256, fetch(sha256))
  assert.ok(fetched() <= 2)
})

test('bytes with another hash are not cached', async (t) => {
  const { root, fetch } = await prepare(t)
  const cache = await openLocalCache(root, 10 * KIB)
  const sha256 = sha256Of('what was meant')
  await assert.rejects(cache.path(sha256, fetch(sha256)), { name: 'WrongBytes' })
  await assert.rejects(cache.path(sha256, fetch(sha256)), { name: 'WrongBytes' })
})

test('removes the least recently used files to make room, but no file in use', async (t) => {
  const { root, add, fetch } = await prepare(t)
  const cache = await openLocalCache(root, 4 * KIB)
  const [old, older, used] = [add(), add(), add()]
  const paths: Record<string, string> = {}
  for (const sha256 of [old, older, used]) paths[sha256] = await cache.path(sha256, fetch(sha256))
  await age(paths[old] ?? '', 40)
  await age(paths[older] ?? '', 50)
  // This file is used again, after it was the least recently used.
  await age(paths[used] ?? '', 60)
  await cache.path(used, fetch(used))
  const big = add(2 * KIB)
  const bigPath = await cache.path(big, fetch(big))
  await until('the removal', async () => !(await isThere(paths[older] ?? '')))
  const left = await Promise.all([paths[old], paths[used], bigPath].map((path) => isThere(path ?? '')))
  assert.deepEqual(left.slice(1), [true, true])
  // Both old files are removed, so that the next file needs no further clean-up.
  await until('the removal', async () => !(await isThere(paths[old] ?? '')))

  const more = add(4 * KIB)
  const morePath = await cache.path(more, fetch(more))
  await cache.close()
  assert.deepEqual(await Promise.all([paths[used] ?? '', bigPath, morePath].map(isThere)), [true, true, true])
})

test('counts existing files', async (t) => {
  const { root, add, fetch } = await prepare(t)
  const first = await openLocalCache(root, 4 * KIB)
  const old = add(3 * KIB)
  const path = await first.path(old, fetch(old))
  await age(path, 40)
  const second = await openLocalCache(root, 4 * KIB)
  const file = join(root, 'tmp', 'finished')
  const content = randomBytes(2 * KIB)
  await writeFile(file, content)
  await second.add(file, sha256Of(content))
  await until('the removal', async () => !(await isThere(path)))
})

test('many uploads do not exceed the limit, and remove no file in use', async (t) => {
  const { root, add, fetch } = await prepare(t)
  const cache = await openLocalCache(root, 4 * KIB)
  const used = add()
  const path = await cache.path(used, fetch(used))
  const upload = async (content: Buffer): Promise<void> => {
    const file = join(root, 'tmp', 'finished')
    await writeFile(file, content)
    await cache.add(file, sha256Of(content))
    await cache.close()
  }
  for (let count = 0; count < 20; count += 1) await upload(randomBytes(KIB))
  // Another upload of bytes that are in use.
  await upload(await readFile(path))
  for (let count = 0; count < 5; count += 1) await upload(randomBytes(KIB))
  const left = await readdir(join(root, 'blobs'), { recursive: true, withFileTypes: true })
  assert.ok(left.filter((entry) => entry.isFile()).length <= 4)
  assert.ok(await isThere(path))
})
