import { Gauge, type Registry } from 'prom-client'
import { readLastBackup } from '../platform/backup/last-backup.ts'
import { reuseBriefly } from '../platform/concurrency/reuse-briefly.ts'
import type { Db } from '../platform/db/index.ts'

const REUSE_MS = 5_000

/** Exposes when the last backup was taken. While the database does not respond, the metric is missing. */
export function measureBackup(registry: Registry, db: Db): void {
  const read = reuseBriefly(async () => ((await readLastBackup(db))?.getTime() ?? 0) / 1_000, REUSE_MS)
  new Gauge({
    name: 'platen_backup_timestamp_seconds',
    help: 'When the newest complete and verified backup was taken, in seconds since 1970. 0 if there was none.',
    registers: [registry],
    async collect() {
      const seconds = await read().catch(() => undefined)
      if (seconds === undefined) this.remove()
      else this.set(seconds)
    },
  })
}
