import { sql } from 'kysely'
import type { DatabasePool, Db } from '../../db/index.ts'
import type { JobDefinition } from '../../jobs/jobs.ts'
import type { Log } from '../../telemetry/log.ts'
import type { StorageReferences } from '../objects/references.ts'
import type { StorageCharges } from './charges.ts'
import { deleteExpiredFormerUse } from './former-use.ts'
import { deleteExpiredReservations, endReleases, listToReconcile, reconcileUsage } from './store.ts'
import { deleteExpiredUnpaid } from './unpaid.ts'

export interface QuotaJobDeps {
  database: DatabasePool
  log: Log
  charges: readonly StorageCharges[]
  references: readonly StorageReferences[]
}

/** Number of accounts that one query selects. */
const PAGE = 100

/** Time after which a run starts no further account. The run of the next hour continues with the remaining accounts. */
const RECONCILE_MS = 10 * 60_000

/**
 * Returns jobs that delete expired data, and that compare the recorded usage of each account with its records once a
 * day.
 */
export function quotaJobs({ database, log, charges, references }: QuotaJobDeps): JobDefinition[] {
  return [
    {
      name: 'storage.reconcile',
      cron: '17 * * * *',
      handle: async () => {
        await deleteExpiredReservations(database.db)
        await deleteExpiredUnpaid(database.db)
        await deleteExpiredFormerUse(database.db)
        await endReleases(database.db, references)
        await reconcileAccounts({ database, log, charges })
      },
    },
  ]
}

async function reconcileAccounts({ database, log, charges }: Omit<QuotaJobDeps, 'references'>): Promise<void> {
  const own = database.openApart()
  try {
    await own.db.connection().execute(async (db) => {
      // Raises the time limit, because reading the documents of a large account can take longer than a statement of a
      // request may take.
      await sql`set statement_timeout = ${sql.lit(RECONCILE_MS)}`.execute(db)
      await reconcileAll(db, { log, charges })
    })
  } finally {
    await own.close()
  }
}

async function reconcileAll(db: Db, { log, charges }: Pick<QuotaJobDeps, 'log' | 'charges'>): Promise<void> {
  const untilMs = performance.now() + RECONCILE_MS
  const done = new Set<string>()
  for (;;) {
    // An account that failed, or that another process reconciles now, may be listed again.
    const due = (await listToReconcile(db, PAGE + done.size)).filter((ownerId) => !done.has(ownerId))
    if (due.length === 0) return
    for (const ownerId of due) {
      if (performance.now() > untilMs) return
      done.add(ownerId)
      await reconcile(db, { log, charges }, ownerId)
    }
  }
}

/** Reconciles one account. If this fails, the run of the next hour repeats it. */
async function reconcile(
  db: Db,
  { log, charges }: Pick<QuotaJobDeps, 'log' | 'charges'>,
  ownerId: string,
): Promise<void> {
  try {
    const drift = await reconcileUsage(db, charges, ownerId)
    if (drift !== undefined && drift !== 0) log.info({ ownerId, drift }, 'the storage use of an account was corrected')
  } catch (error) {
    log.error({ err: error, ownerId }, 'the storage use of an account could not be reconciled')
  }
}
