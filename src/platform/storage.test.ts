import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openFileStorage } from './storage.ts'

async function temporaryFolder(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'platen-storage-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return root
}

const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex')

test('keeps equal bytes once, under their hash', async (t) => {
  const storage = await openFileStorage(await temporaryFolder(t))
  const sha256 = sha256Of('artwork')
  for (let round = 0; round < 2; round += 1) {
    const path = join(await storage.createWorkDir(), 'file')
    await writeFile(path, 'artwork')
    await storage.adopt({ path, sha256 })
    await assert.rejects(readFile(path), { code: 'ENOENT' })
  }
  const { stream, bytes } = await storage.open(sha256)
  assert.deepEqual([await text(stream), bytes], ['artwork', 7])
  assert.equal(await readFile(await storage.localPath(sha256), 'utf8'), 'artwork')
})

test('a name that is no hash never reaches the file system', async (t) => {
  const storage = await openFileStorage(await temporaryFolder(t))
  for (const name of ['../../etc/passwd', '', sha256Of('x').toUpperCase(), `${sha256Of('x')}/..`]) {
    await assert.rejects(storage.open(name), /not a SHA-256/)
  }
})

test('what a killed process left behind is cleared at the next start, what another process is writing is not', async (t) => {
  const root = await temporaryFolder(t)
  const old = join(root, 'tmp', 'old')
  await mkdir(old, { recursive: true })
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
  await utimes(old, twoDaysAgo, twoDaysAgo)
  await mkdir(join(root, 'tmp', 'recent'))
  await openFileStorage(root)
  assert.deepEqual(await readdir(join(root, 'tmp')), ['recent'])
})
