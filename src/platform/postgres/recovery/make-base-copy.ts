import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createZstdCompress } from 'node:zlib'
import type pg from 'pg'
import { createChecksum } from '../../cryptography/checksum.ts'
import { syncDir } from '../../file-system/durable-files.ts'
import { archiveFault } from '../archive/archive-fault.ts'
import { archivedName } from '../archive/archived-file.ts'
import { findLog, type LogFolder } from '../archive/log-folder.ts'
import { BASE_FILE, type BaseCopy, MANIFEST } from '../archive/read-logs.ts'
import { segmentBefore } from '../archive/segments.ts'
import { connectAsSuperuser } from '../claim.ts'
import { findReach, type Reach, releaseSite } from '../site.ts'
import { entryOf, readCluster, readMajorOf } from './read-cluster.ts'
import { END_OF_TAR } from './tar.ts'

export interface BaseCopyDeps {
  /** The data folder on which a server runs. */
  dataDir: string
  /** The folder to which this server archives. */
  archive: string
  report(line: string): void
}

/** The backup with which a copy is made. */
type CopyOrigin = Required<Pick<BaseCopy, 'id' | 'program' | 'migrations'>> & Pick<BaseCopy, 'secret'>

/** How long the archive may take for the last segment of a copy. */
const ARCHIVED_WITHIN_MS = 120_000
const DRAFT_SUFFIX = '.making'
const STALE_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Copies the files of a running server to its archive, as the beginning of a recovery. The copy gets its name when it is
 * complete, and when the archive has what a recovery needs to make it consistent.
 *
 * @throws EmbeddedPostgresError `archive_fault` if the server does not archive to this folder
 */
export async function makeBaseCopy({ dataDir, archive, report }: BaseCopyDeps, origin: CopyOrigin): Promise<BaseCopy> {
  const { id } = origin
  const reach = await findReach(dataDir)
  try {
    const client = await connectAsSuperuser(reach)
    try {
      const log = await requireLog(client, reach, archive)
      await removeStale(log)
      const draft = join(log.bases, `${id}${DRAFT_SUFFIX}`)
      await mkdir(draft, { mode: 0o700 })
      try {
        const base = await copyTo(draft, { client, reach, log, origin })
        await writeFile(join(draft, MANIFEST), JSON.stringify(base), { mode: 0o600, flush: true })
        await syncDir(draft)
        await rename(draft, join(log.bases, id))
        await syncDir(log.bases)
        report(`Base copy of the database: ${base.file.bytes} bytes in ${join(log.bases, id)}.`)
        return base
      } finally {
        await rm(draft, { recursive: true, force: true })
      }
    } finally {
      // Ends a backup mode that an error left.
      await client.end()
    }
  } finally {
    await releaseSite(reach)
  }
}

/** Returns the log to which the running server archives. */
async function requireLog(client: pg.Client, reach: Reach, archive: string): Promise<LogFolder> {
  const log = await findLog(archive, reach)
  const { rows } = await client.query<{ mode: string }>("select current_setting('archive_mode') as mode")
  if (log !== undefined && rows[0]?.mode === 'on') return log
  throw archiveFault(
    `The service does not archive to ${archive}. Start it with the same PLATEN_WAL_ARCHIVE as this command.`,
  )
}

/** Removes drafts of killed runs. */
async function removeStale({ bases }: LogFolder): Promise<void> {
  for (const name of await readdir(bases)) {
    if (!name.endsWith(DRAFT_SUFFIX)) continue
    const path = join(bases, name)
    if (Date.now() - (await stat(path)).mtimeMs > STALE_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}

interface Copying {
  client: pg.Client
  reach: Reach
  log: LogFolder
  origin: CopyOrigin
}

async function copyTo(draft: string, { client, reach, log, origin }: Copying): Promise<BaseCopy> {
  const { rows: begun } = await client.query<{ lsn: string; at: Date; segment: string }>(
    `select pg_backup_start($1, true)::text as lsn, clock_timestamp() as at,
            pg_walfile_name(pg_current_wal_lsn()) as segment`,
    [origin.id],
  )
  const { lsn: startLsn = '', at: startedAt = new Date(), segment = '' } = begun[0] ?? {}
  const timeline = Number.parseInt(segment.slice(0, 8), 16)
  let [stopLsn, endedAt] = ['', new Date()]
  // What `pg_backup_stop` returns is part of the copy.
  async function* contents(): AsyncGenerator<Buffer> {
    yield* readCluster(reach.cluster)
    const { rows } = await client.query<{ lsn: string; label: string; at: Date }>(
      'select lsn::text, labelfile as label, clock_timestamp() as at from pg_backup_stop(wait_for_archive => false)',
    )
    const { lsn = '', label = '', at = new Date() } = rows[0] ?? {}
    stopLsn = lsn
    // A time of the settings has whole milliseconds, and must not be before a commit that the copy has.
    endedAt = new Date(at.getTime() + 1)
    yield* entryOf('backup_label', Buffer.from(label))
    yield END_OF_TAR
  }
  const checksum = createChecksum()
  const path = join(draft, BASE_FILE)
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  await pipeline(Readable.from(contents(), { objectMode: false }), createZstdCompress(), checksum.pass, file)
  await syncFile(path)
  await waitUntilArchived(client, log, segmentBefore(timeline, stopLsn))
  return {
    format: 1,
    ...origin,
    major: await readMajorOf(reach.cluster),
    ...{ timeline, startLsn, stopLsn },
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    file: checksum.read(),
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

/** A recovery from the copy needs all segments up to this one. PostgreSQL archives them in their order. */
async function waitUntilArchived(client: pg.Client, log: LogFolder, segment: string): Promise<void> {
  const deadline = Date.now() + ARCHIVED_WITHIN_MS
  while ((await stat(join(log.segments, archivedName(segment))).catch(() => undefined)) === undefined) {
    if (Date.now() > deadline) {
      const { rows } = await client.query<{ failed: string | null }>(
        'select last_failed_wal as failed from pg_stat_archiver',
      )
      const failed = rows[0]?.failed ?? null
      throw archiveFault(
        `The segment ${segment} of the write-ahead log was not archived within two minutes${failed === null ? '' : `, since ${failed} failed`}. ` +
          'The log of PostgreSQL, postgres.log in the data folder, has the reason.',
      )
    }
    await delay(50)
  }
}
