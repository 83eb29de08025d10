import { execFile } from 'node:child_process'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import type pg from 'pg'
import { createDatabase, createEmptyDatabase, temporaryDir } from '../../../test/harness.ts'
import { makePng, upload } from '../../assets/factory.ts'
import { type Shop, startShop } from '../../orders/factory.ts'
import type { Manifest } from '../../platform/backup/index.ts'
import { databaseUrl, type Ended, platenHere } from '../platen.fixture.ts'

export const PASSPHRASE = 'a passphrase for tests'

/** A shop with an order and an uploaded image, and an empty place for its backups. */
export interface BackedUpShop extends Shop {
  /** The settings with which commands reach the shop. */
  env: Record<string, string>
  target: string
  token: string
  /** Runs `platen` on the shop. */
  run(...args: string[]): Promise<Ended>
  backup(...options: string[]): Promise<Ended>
  uploadImage(color: string): Promise<string>
}

export async function startBackedUpShop(t: TestContext, settings: Record<string, string> = {}): Promise<BackedUpShop> {
  const database = await createDatabase(t)
  const dataDir = await temporaryDir(t)
  const target = join(await temporaryDir(t), 'backups')
  const shop = await startShop(t, undefined, { database, dataDir, env: settings })
  const env = { ...envOf(database, dataDir), ...settings }
  const { token } = await shop.order()
  const uploadImage = async (color: string): Promise<string> => {
    const answer = await upload(shop.service, token, await makePng(color))
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body.id
  }
  await uploadImage('#336699')
  const run = (...args: string[]) => runWith(env, args)
  return { ...shop, env, target, token, run, backup: (...options) => run('backup', target, ...options), uploadImage }
}

function envOf(database: pg.PoolConfig, dataDir: string): Record<string, string> {
  return {
    PLATEN_DATABASE_URL: databaseUrl(database),
    PLATEN_DATA_DIR: dataDir,
    PLATEN_BACKUP_PASSPHRASE: PASSPHRASE,
    PLATEN_STORAGE_FREE_MIB: '0',
  }
}

/** Makes an empty database and the name of a new data folder. */
export async function emptyPlace(t: TestContext) {
  const database = await createEmptyDatabase(t)
  const dataDir = join(await temporaryDir(t), 'data')
  return { database, dataDir, env: envOf(database, dataDir) }
}

/** Runs `platen` in this process with these settings. */
export async function runWith(env: Record<string, string>, args: readonly string[]): Promise<Ended> {
  const before = { ...process.env }
  Object.assign(process.env, env)
  try {
    return await platenHere(args)
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

export async function manifestsIn(target: string): Promise<string[]> {
  return (await readdir(join(target, 'backups')).catch(() => [])).sort()
}

/** Reads the manifests of a place, oldest first. */
export async function readManifests(target: string): Promise<[Manifest, Manifest]> {
  const names = await manifestsIn(target)
  const read = async (name: string) => JSON.parse(await readFile(join(target, 'backups', name), 'utf8')).manifest
  const manifests: Manifest[] = await Promise.all(names.map(read))
  return manifests.sort((a, b) => a.takenAt.localeCompare(b.takenAt)) as [Manifest, Manifest]
}

export function pathOf(target: string, sha256: string): string {
  return join(target, 'blobs', sha256.slice(0, 2), sha256)
}

/** Changes the bytes of a file of a backup. */
export async function changeFile(path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  await writeFile(path, change(await readFile(path)))
}

/** Replaces a stored file with a pipe, whose reader waits. */
export async function blockReader(path: string) {
  const bytes = await readFile(path)
  await rename(path, `${path}.kept`)
  await promisify(execFile)('mkfifo', [path])
  return {
    /** Gives the waiting reader the bytes of the file. */
    letGo: () => writeFile(path, bytes),
    /** Puts the file back. */
    restore: () => rename(`${path}.kept`, path),
  }
}
