import { sql } from 'kysely'
import pTimeout from 'p-timeout'
import { Counter, Gauge, type Registry } from 'prom-client'
import { reuseBriefly } from '../platform/concurrency/reuse-briefly.ts'
import type { Db } from '../platform/db/index.ts'
import { readNewestBase } from '../platform/postgres/index.ts'

const REUSE_MS = 5_000
/** An archive on a share that does not respond must not keep all other metrics back. */
const PATIENCE_MS = 1_000

interface Place {
  archive: string
  dataDir: string
}

/**
 * Exposes whether the embedded PostgreSQL archives its write-ahead log. What it cannot archive, it keeps. While the
 * database does not respond, these metrics are missing.
 */
export function measureArchive(registry: Registry, db: Db, place: Place): void {
  const read = reuseBriefly(() => readArchiver(db), REUSE_MS)
  // One read at a time, because each occupies one of the few threads for file access until the share responds.
  const readBase = reuseBriefly(() => readSeconds(place), 0)
  new Counter({
    name: 'platen_wal_archive_failures_total',
    help: 'Failed attempts to archive a segment of the write-ahead log.',
    registers: [registry],
    async collect() {
      this.reset()
      const archiver = await read().catch(() => undefined)
      if (archiver === undefined) this.remove()
      else this.inc(archiver.failures)
    },
  })
  new Gauge({
    name: 'platen_wal_archive_age_seconds',
    help: 'Time since a segment of the write-ahead log was archived.',
    registers: [registry],
    async collect() {
      const archiver = await read().catch(() => undefined)
      if (archiver === undefined) this.remove()
      else this.set(archiver.ageSeconds)
    },
  })
  new Gauge({
    name: 'platen_wal_archive_base_copy_timestamp_seconds',
    help: 'When the newest base copy of this database ended, in seconds since 1970. 0 if its log has none.',
    registers: [registry],
    async collect() {
      const patience = { milliseconds: PATIENCE_MS, message: false } as const
      const seconds = await pTimeout(readBase(), patience).catch(() => undefined)
      if (seconds === undefined) this.remove()
      else this.set(seconds)
    },
  })
}

/** A log that has ended and begun anew has no base copy, although the archive may have those of the log before. */
async function readSeconds({ archive, dataDir }: Place): Promise<number> {
  const endedAt = await readNewestBase(archive, dataDir)
  return endedAt === undefined ? 0 : endedAt.getTime() / 1_000
}

async function readArchiver(db: Db): Promise<{ failures: number; ageSeconds: number }> {
  // The statistics are new after a crash of the server.
  const { rows } = await sql<{ failures: number; ageSeconds: number }>`
    select failed_count::float8 as failures,
      greatest(0, extract(epoch from clock_timestamp() - coalesce(last_archived_time, stats_reset)))::float8
        as "ageSeconds"
    from pg_stat_archiver`.execute(db)
  return rows[0] ?? { failures: 0, ageSeconds: 0 }
}
