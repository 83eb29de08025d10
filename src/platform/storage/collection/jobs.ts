import { sql } from 'kysely'
import { Counter, type Registry } from 'prom-client'
import type { DatabasePool, Db } from '../../db/index.ts'
import { LOCKS } from '../../db/locking/locks.ts'
import { defineJob, type JobDefinition } from '../../jobs/jobs.ts'
import { type CollectionDeps, collect, reconcileObjects } from './collect.ts'

/** The dependencies of the collection, which opens its own connection. */
export type CollectionJobDeps = Omit<CollectionDeps, 'db'> & { database: DatabasePool }

const reconcileJob = defineJob('storage.reconcile_objects', ['storage.take_stock'])

/** How long reconciling waits for a running collection, which takes minutes. */
const AGAIN_MS = 10 * 60_000

/**
 * Returns the jobs of the storage: the collection of bytes without references, and the reconciliation.
 *
 * @param deps `isPaused`: whether both leave the storage as it is. A restored copy may use the storage of the original
 *   installation, whose newer files have no references in the copy
 */
export function collectionJobs(
  { isPaused = false, ...deps }: CollectionJobDeps & { isPaused?: boolean },
  registry: Registry,
): JobDefinition[] {
  const objects = new Counter({
    name: 'platen_storage_collected_objects_total',
    help: 'Stored objects that were deleted because nothing referred to them any more.',
    registers: [registry],
  })
  const bytes = new Counter({
    name: 'platen_storage_collected_bytes_total',
    help: 'Bytes of the stored objects that were deleted.',
    registers: [registry],
  })
  return [
    {
      name: 'storage.collect',
      cron: '7 * * * *',
      handle: async () => {
        if (isPaused) return deps.log.info('no unused files are deleted while PLATEN_SEND is off')
        const collected = await withCollectionLock(deps, (inner) => collect(inner))
        if (collected === undefined)
          return deps.log.info('another process is collecting garbage; the next run is in an hour')
        objects.inc(collected.deleted)
        bytes.inc(collected.bytes)
        if (collected.deleted > 0 || collected.leftovers > 0) deps.log.info(collected, 'garbage was collected')
      },
    },
    reconcileJob.handledBy(
      async () => {
        if (isPaused) return
        const found = await withCollectionLock(deps, reconcileObjects)
        if (found === undefined) {
          deps.log.info('another process is collecting garbage; the storage is reconciled afterwards')
          const again = { key: reconcileJob.name, runAt: new Date(Date.now() + AGAIN_MS) }
          return reconcileJob.enqueue(deps.database.db, {}, again)
        }
        if (found > 0) deps.log.info({ found }, 'the storage contained objects without a row')
      },
      { cron: '37 2 * * *' },
    ),
  ]
}

/**
 * Runs work in one process of the installation at a time. Returns undefined if another process is running it. Two
 * concurrent runs would be harmless, but twice the work.
 */
export async function withCollectionLock<T, Deps extends object>(
  { database, ...deps }: Deps & { database: DatabasePool },
  work: (deps: Omit<Deps, 'database'> & { db: Db }) => Promise<T>,
): Promise<T | undefined> {
  const own = database.openApart()
  try {
    // All work uses the connection that holds the lock. If this connection breaks, the work ends too.
    return await own.db.connection().execute(async (db: Db) => {
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_lock(${LOCKS.storageCollection}) as locked`.execute(db)
      if (rows[0]?.locked !== true) return undefined
      try {
        return await work({ ...deps, db })
      } finally {
        await sql`select pg_advisory_unlock(${LOCKS.storageCollection})`.execute(db).catch(() => undefined)
      }
    })
  } finally {
    await own.close()
  }
}
