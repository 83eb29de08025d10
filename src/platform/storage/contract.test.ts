import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { announced, STORES, sha256Of, writeTo } from './factory.ts'
import type { ObjectStore } from './objects/object-store.ts'

async function listAll(store: ObjectStore): Promise<[string, number][]> {
  const found: [string, number][] = []
  for await (const page of store.list())
    found.push(...page.map(({ sha256, bytes }) => [sha256, bytes] as [string, number]))
  return found.sort()
}

for (const [kind, open] of Object.entries(STORES)) {
  test(`${kind}: stores equal bytes once, under their hash, and moves the file`, async (t) => {
    const store = await open(t)
    for (let round = 0; round < 2; round += 1) {
      const file = await writeTo(store, 'artwork')
      await store.put(file)
      await assert.rejects(access(file.path), { code: 'ENOENT' })
    }
    const sha256 = sha256Of('artwork')
    const { stream, bytes } = await store.open(sha256)
    assert.deepEqual([String(await buffer(stream)), bytes], ['artwork', 7])
    assert.equal(await readFile(await store.localPath(sha256), 'utf8'), 'artwork')
    assert.deepEqual(await listAll(store), [[sha256, 7]])
  })

  test(`${kind}: stores an empty file, and a file of many megabytes`, async (t) => {
    const store = await open(t)
    for (const content of [Buffer.alloc(0), randomBytes(9 * 1024 * 1024)]) {
      const file = await writeTo(store, content)
      await store.put(file)
      const { stream, bytes } = await store.open(file.sha256)
      assert.equal(bytes, content.length)
      assert.equal(sha256Of(await buffer(stream)), file.sha256)
      assert.equal(sha256Of(await readFile(await store.localPath(file.sha256))), file.sha256)
    }
  })

  test(`${kind}: equal bytes that are stored concurrently are stored once, and all calls succeed`, async (t) => {
    const store = await open(t)
    const files = await Promise.all(Array.from({ length: 8 }, () => writeTo(store, 'the same')))
    await Promise.all(files.map((file) => store.put(file)))
    assert.deepEqual(await listAll(store), [[sha256Of('the same'), 8]])
  })

  test(`${kind}: lists all objects`, async (t) => {
    const store = await open(t)
    const files = await Promise.all(Array.from({ length: 10 }, () => writeTo(store)))
    for (const file of files) await store.put(file)
    assert.deepEqual(await listAll(store), files.map(({ sha256 }) => [sha256, 100]).sort())
  })

  test(`${kind}: removed bytes are gone, can be removed again, and can be stored again`, async (t) => {
    const store = await open(t)
    for (let round = 0; round < 2; round += 1) {
      const file = await writeTo(store, 'fleeting')
      await store.put(file)
      await store.remove(file.sha256, announced())
      await store.remove(file.sha256, announced())
      await assert.rejects(store.open(file.sha256), (error: { code?: string }) => error.code !== undefined)
      assert.deepEqual(await listAll(store), [])
    }
  })

  test(`${kind}: a name that is not a hash never becomes part of a path or URL`, async (t) => {
    const store = await open(t)
    for (const name of ['../../etc/passwd', '', sha256Of('x').toUpperCase(), `${sha256Of('x')}/..`]) {
      for (const use of [store.open, store.localPath, (one: string) => store.remove(one, announced())]) {
        await assert.rejects(async () => use(name), /not a SHA-256/)
      }
      const { path } = await writeTo(store, 'x')
      await assert.rejects(async () => store.put({ path, sha256: name, bytes: 1 }), /not a SHA-256/)
    }
  })

  test(`${kind}: the only process can clear the work folders of killed processes`, async (t) => {
    const store = await open(t)
    const { path, ...kept } = await writeTo(store, 'kept')
    await store.put({ path, ...kept })
    await writeTo(store, 'left half-written')
    // The work folder of the stored file still exists.
    assert.equal(await store.clearWorkDirs(), 2)
    assert.equal(await store.clearWorkDirs(), 0)
    await store.localPath(kept.sha256)
    await writeTo(store, 'the next')
  })

  test(`${kind}: a check of a working store succeeds and leaves no files`, async (t) => {
    const store = await open(t)
    await store.check()
    assert.equal(await store.removeLeftovers(), 0)
  })
}
