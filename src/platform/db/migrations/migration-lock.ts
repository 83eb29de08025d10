import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import type { Log } from '../../telemetry/log.ts'
import { LOCKS } from '../locking/locks.ts'
import { describe, findHolders } from './blockers.ts'
import { MigrationError } from './migration-error.ts'

export interface LockPatience {
  lockWaitMs: number
  /** Interval at which the log reports the wait. */
  reportEveryMs: number
}

const TRY_EVERY_MS = 250

/**
 * Takes the migration lock in a transaction of the client, which this function begins, and holds it until the
 * transaction ends. The lock also ends with the connection, whatever ends the connection. It works with a pooler that
 * assigns a connection to each transaction.
 *
 * The function polls the lock. A statement that waits for the lock would hold a snapshot, and `create index
 * concurrently` of the running migration would wait for this snapshot.
 *
 * @throws {MigrationError} if another process holds the lock for longer than the limit
 */
export async function takeMigrationLock(client: ClientBase, log: Log, patience: LockPatience): Promise<void> {
  const deadline = performance.now() + patience.lockWaitMs
  let reportAt = performance.now()
  while (!(await tryLock(client))) {
    const now = performance.now()
    if (now >= deadline) {
      const holders = describe(await findHolders(client, LOCKS.migration))
      throw new MigrationError(
        `Another process has been migrating the database for ${Math.round(patience.lockWaitMs / 1000)} s: ${holders}. ` +
          'Wait until it has finished and start again, or end it: an unfinished migration is undone.',
      )
    }
    if (now >= reportAt) {
      reportAt = now + patience.reportEveryMs
      log.warn(
        { holders: await findHolders(client, LOCKS.migration) },
        'waiting for another process that migrates the database',
      )
    }
    await delay(TRY_EVERY_MS)
  }
}

async function tryLock(client: ClientBase): Promise<boolean> {
  // The transaction is idle while the migration runs. Time limits of the role or the database would end it.
  await client.query(
    'begin; set local idle_in_transaction_session_timeout = 0; set local transaction_timeout = 0; set local statement_timeout = 0',
  )
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    LOCKS.migration,
  ])
  if (rows[0]?.locked === true) return true
  await client.query('rollback')
  return false
}
