import { chown, lchown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { syncDir } from '../file-system/durable-files.ts'
import type { Binaries } from './programs/binaries.ts'
import { EmbeddedPostgresError, hasErrorCode } from './programs/errors.ts'
import { type Launch, type Owner, outcomeOf, spawnAs } from './programs/launch.ts'
import { isRunning } from './programs/processes.ts'
import { isUpgradeInterrupted } from './upgrade-folder.ts'

/** The role that administers the server. Only the supervisor uses it. */
export const SUPERUSER = 'postgres'

// Connections need no password, because a user that can enter the folder of the socket can also read the data files.
const HOST_BASED_ACCESS = 'local all all trust\n'

const STALE_AFTER_MS = 10 * 60 * 1000

/**
 * Ensures that the folder contains a database cluster of the installed major version. A new cluster is built in another
 * folder and renamed when it is complete and flushed to disk, so that an interrupted first start never leaves an
 * incomplete cluster.
 *
 * @returns whether a new cluster was created
 * @throws EmbeddedPostgresError `other_major_version`, `start_failed`, `upgrade_interrupted`
 */
export async function ensureCluster(
  cluster: string,
  binaries: Binaries,
  launch: Launch,
  options: Readonly<{ sync: boolean }>,
): Promise<boolean> {
  await removeAbandoned(cluster)
  if (await hasCluster(cluster, binaries)) {
    await handOver(cluster, launch.owner)
    return false
  }
  const draft = await mkdtemp(`${draftPrefix(cluster)}${process.pid}-`)
  try {
    if (launch.owner !== undefined) await chown(draft, launch.owner.uid, launch.owner.gid)
    await runInitdb(draft, binaries, launch, options)
    await replaceFile(join(draft, 'pg_hba.conf'), HOST_BASED_ACCESS)
    return await moveIntoPlace(draft, cluster)
  } finally {
    await removeDraft(draft)
  }
}

/**
 * Removes a draft as far as possible. An initdb process whose parent was killed continues to write until it misses the
 * removed files.
 */
async function removeDraft(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }).catch(() => undefined)
}

function draftPrefix(cluster: string): string {
  return `${cluster}.new-`
}

/** Removes drafts of interrupted first starts whose process has ended. The draft of a running process stays. */
async function removeAbandoned(cluster: string): Promise<void> {
  const folder = dirname(cluster)
  const prefix = basename(draftPrefix(cluster))
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue
    const path = join(folder, name)
    const maker = Number.parseInt(name.slice(prefix.length), 10)
    // Removes an old draft in any case, because process ids are reused, in a container often soon.
    const isOld = await stat(path).then(
      ({ birthtimeMs }) => Date.now() - birthtimeMs > STALE_AFTER_MS,
      () => false,
    )
    if (isOld || maker === process.pid || !(await isRunning(maker))) await removeDraft(path)
  }
}

async function hasCluster(cluster: string, binaries: Binaries): Promise<boolean> {
  let version: string
  try {
    version = await readFile(join(cluster, 'PG_VERSION'), 'utf8')
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
    await requireNothingThere(cluster)
    await requireNoUpgrade(dirname(cluster))
    return false
  }
  const major = version.trim()
  if (major === String(binaries.major)) return true
  throw new EmbeddedPostgresError(
    'other_major_version',
    `PostgreSQL ${major} created the database folder ${cluster}; this version of Platen contains PostgreSQL ` +
      `${binaries.major}, which cannot open it. Nothing was changed. Run "platen database upgrade", which moves the data ` +
      'and keeps the old folder.',
  )
}

async function requireNothingThere(cluster: string): Promise<void> {
  const names = await readdir(cluster).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  })
  if (names.length === 0) return
  throw new EmbeddedPostgresError(
    'start_failed',
    `The folder ${cluster} contains files but no PostgreSQL database (PG_VERSION is missing). Restore it from a backup, ` +
      'or move it away to start with an empty database.',
  )
}

async function requireNoUpgrade(dataDir: string): Promise<void> {
  if (!(await isUpgradeInterrupted(dataDir))) return
  throw new EmbeddedPostgresError(
    'upgrade_interrupted',
    `An upgrade of the database in ${dataDir} was interrupted. Run "platen database upgrade" again.`,
  )
}

async function runInitdb(
  folder: string,
  binaries: Binaries,
  launch: Launch,
  { sync }: Readonly<{ sync: boolean }>,
): Promise<void> {
  const args = [
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--auth=trust',
    '--no-instructions',
    ...(sync ? [] : ['--no-sync']),
  ]
  const child = spawnAs(launch, binaries.initdb, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const collect = (text: string) => {
    output += text
  }
  child.stdout?.setEncoding('utf8').on('data', collect)
  child.stderr?.setEncoding('utf8').on('data', collect)
  const ended = await outcomeOf(child)
  if (ended === 0) return
  throw new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL could not create its database in ${dirname(folder)} (initdb: ${ended}).\n${output.trim()}`,
  )
}

async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(path, content, { flush: true })
}

async function moveIntoPlace(draft: string, cluster: string): Promise<boolean> {
  try {
    await rename(draft, cluster)
  } catch (error) {
    // Another service that started at the same time has created the cluster, which can be used.
    if (hasErrorCode(error, 'ENOTEMPTY', 'EEXIST')) return false
    throw error
  }
  await syncDir(dirname(cluster))
  return true
}

/** Gives a cluster that root has copied here, such as from a backup, to the user that runs PostgreSQL. */
async function handOver(cluster: string, owner: Owner | undefined): Promise<void> {
  if (owner === undefined || (await stat(cluster)).uid === owner.uid) return
  for (const entry of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, entry), owner.uid, owner.gid)
  }
  // The folder itself is changed last, because its owner indicates whether the work is complete.
  await chown(cluster, owner.uid, owner.gid)
}
