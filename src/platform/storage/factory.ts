import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type FakeS3, startS3 } from '../../../test/fakes/s3.ts'
import { readConfig } from '../../config/index.ts'
import { openFileStore } from './objects/file-store.ts'
import type { Announcement, ObjectStore } from './objects/object-store.ts'
import type { S3Patience, S3Settings } from './s3/s3-client.ts'
import { openS3Store } from './s3/s3-store.ts'

export async function temporaryDir(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'platen-storage-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return root
}

export const sha256Of = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** Writes a finished file with this content into a work folder of the store. */
export async function writeTo(
  store: Pick<ObjectStore, 'createWorkDir'>,
  content: string | Buffer = randomBytes(100),
): Promise<{ path: string; sha256: string; bytes: number }> {
  const path = join(await store.createWorkDir(), 'file')
  await writeFile(path, content)
  return { path, sha256: sha256Of(content), bytes: Buffer.byteLength(content) }
}

/** Creates an announcement that stays valid, because no other process takes over the removal. */
export const announced = (): Announcement => ({ untilMs: Date.now() + 60_000, isAnnounced: async () => true })

/** Returns the settings for a fake S3 service. */
export function settingsOf(
  s3: FakeS3,
  changes: { parameters?: string; env?: Record<string, string> } = {},
): S3Settings {
  const url = `${s3.env.PLATEN_STORAGE_URL}${changes.parameters ?? ''}`
  const { s3: settings } = readConfig({ ...s3.env, PLATEN_STORAGE_URL: url, ...changes.env })
  if (settings === undefined) throw new Error('these settings name no bucket')
  return settings
}

/** Opens a store in a bucket of a fake S3 service. */
export async function startS3Store(
  t: TestContext,
  options: { pageSize?: number; cacheBytes?: number; patience?: S3Patience } = {},
) {
  const s3 = await startS3(t, options)
  const { cacheBytes = 1024 * 1024 } = options
  const root = await temporaryDir(t)
  const store = await openS3Store({ ...settingsOf(s3), cacheBytes }, root, options.patience)
  t.after(() => store.close())
  s3.requests.length = 0
  return { s3, store, root }
}

/** Every kind of store. */
export const STORES: Readonly<Record<string, (t: TestContext) => Promise<ObjectStore>>> = {
  file: async (t) => openFileStore(await temporaryDir(t)),
  s3: async (t) => (await startS3Store(t, { pageSize: 3 })).store,
}
