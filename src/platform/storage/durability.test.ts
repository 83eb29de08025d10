import assert from 'node:assert/strict'
import files from 'node:fs'
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { startService } from '../../../test/harness.ts'
import { makePng, upload } from '../../assets/factory.ts'
import { sha256Of, temporaryDir, writeTo } from './factory.ts'
import { openFileStore } from './objects/file-store.ts'

/**
 * Records, in order, the calls that decide what survives a power failure: flushes with their target, renames, inserts,
 * and commits of the transaction with the asset. The original functions are restored after the test.
 */
async function record(t: TestContext): Promise<string[]> {
  const calls: string[] = []
  const paths = new WeakMap<object, string>()
  const writesAsset = new WeakSet<object>()
  const probe = await fs.open('/dev/null')
  const handle = Object.getPrototypeOf(probe) as FileHandle
  await probe.close()
  const client = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown }
  const original = { open: fs.open, rename: fs.rename, mkdir: fs.mkdir, query: client.query }
  const { mkdirSync } = files
  const { sync, datasync } = handle
  Object.assign(fs, {
    open: async (path: string, ...rest: []) => {
      const file = await original.open(path, ...rest)
      paths.set(file, path)
      return file
    },
    rename: async (from: string, to: string) => {
      await original.rename(from, to)
      calls.push(`rename ${from} ${to}`)
    },
    mkdir: async (path: string, ...rest: []) => {
      const made = await original.mkdir(path, ...rest)
      calls.push(`mkdir ${path}`)
      return made
    },
  })
  Object.assign(files, {
    mkdirSync: (path: string, ...rest: []) => {
      const made = mkdirSync(path, ...rest)
      calls.push(`mkdir ${path}`)
      return made
    },
  })
  handle.sync = async function flush(this: FileHandle) {
    await sync.call(this)
    calls.push(`sync ${paths.get(this)}`)
  }
  handle.datasync = async function flush(this: FileHandle) {
    await datasync.call(this)
    calls.push(`datasync ${paths.get(this)}`)
  }
  client.query = function query(this: object, ...args: unknown[]) {
    const [first] = args
    const text = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text
    const [, verb] = /^\s*(insert into "?\w+|commit)/i.exec(text ?? '') ?? []
    const call = verb?.replaceAll('"', '').toLowerCase()
    if (call === 'insert into assets') writesAsset.add(this)
    // Jobs of the service may commit at any time, so their commits are skipped.
    if (call !== undefined && (call !== 'commit' || writesAsset.delete(this))) calls.push(call)
    return original.query.apply(this, args)
  }
  syncBuiltinESMExports()
  t.after(() => {
    Object.assign(fs, { open: original.open, rename: original.rename, mkdir: original.mkdir })
    Object.assign(files, { mkdirSync })
    Object.assign(handle, { sync, datasync })
    client.query = original.query
    syncBuiltinESMExports()
  })
  return calls
}

test('bytes and their folder entry are flushed before the row that refers to them is written', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const calls = await record(t)
  const { body } = await upload(service, token, await makePng())
  const seen = calls.map((call) =>
    call.replaceAll(`${service.config.storageDir}/`, '').replace(/tmp\/[0-9a-f-]+\//g, ''),
  )
  const shard = `blobs/${body.sha256.slice(0, 2)}`
  const expected = [
    'insert into storage_objects',
    'datasync upload',
    `rename upload ${shard}/${body.sha256}`,
    `sync ${shard}`,
    'insert into assets',
    'commit',
  ]
  assert.deepEqual(
    seen.filter((call) => expected.includes(call)),
    expected,
  )
})

test('every folder and its parent are flushed before the first file is stored', async (t) => {
  const root = `${await temporaryDir(t)}/not/there`
  const calls = await record(t)
  await openFileStore(root)
  const made = calls.filter((call) => call.startsWith('mkdir ')).map((call) => call.slice('mkdir '.length))
  assert.equal(made.length, 2 + 3 + 256)
  for (const path of made) {
    const flushed = calls.lastIndexOf(`sync ${dirname(path)}`)
    assert.ok(flushed > calls.indexOf(`mkdir ${path}`), relative(root, path) || basename(path))
  }
})

// One account could otherwise keep the disk busy with one file, which is charged once, and delay the commits of others.
test('bytes that are stored already are neither flushed nor renamed again, unless they are damaged', async (t) => {
  const root = await temporaryDir(t)
  const store = await openFileStore(root)
  const calls = await record(t)
  const put = async (): Promise<string[]> => {
    calls.length = 0
    const file = await writeTo(store, 'artwork')
    await store.put(file)
    await assert.rejects(fs.access(file.path), { code: 'ENOENT' })
    return calls.map((call) => call.split(' ')[0] ?? '').filter((call) => call !== 'mkdir')
  }
  assert.deepEqual(await put(), ['datasync', 'rename', 'sync'])
  // Another process may have renamed the file and not flushed its folder yet.
  assert.deepEqual(await put(), ['sync'])
  const stored = await store.localPath(sha256Of('artwork'))
  await fs.truncate(stored, 3)
  assert.deepEqual(await put(), ['datasync', 'rename', 'sync'])
  // The disk has changed a byte, which the length does not show.
  await fs.writeFile(stored, 'artwork'.replace('w', 'x'))
  assert.deepEqual(await put(), ['datasync', 'rename', 'sync'])
  assert.equal(await fs.readFile(stored, 'utf8'), 'artwork')
  assert.deepEqual(await put(), ['sync'])
})
