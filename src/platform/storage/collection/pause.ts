import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { DatabasePool, Trx } from '../../db/index.ts'
import { LOCKS } from '../../db/locking/locks.ts'

/** A time in which no process of the installation deletes stored bytes. */
export interface CollectionPause {
  /** Rejects if the pause has ended, because its connection was lost. Deletions may have happened since. */
  requireHeld(): Promise<void>
  end(): Promise<void>
}

const TRY_EVERY_MS = 200

/**
 * Keeps all processes from deleting stored bytes, so that whatever a snapshot of the database refers to stays readable.
 * Waits until a running collection has ended, which takes minutes at most. Several pauses may overlap.
 *
 * The pause is a shared lock in a transaction of its own connection. It ends with this process, in whatever way the
 * process ends. The transaction is idle and has no snapshot, so it delays neither vacuum nor readers of events.
 */
export async function pauseCollection(database: DatabasePool, onWait: () => void): Promise<CollectionPause> {
  const own = database.openApart({ application_name: 'platen backup', statement_timeout: 0 })
  const held = Promise.withResolvers<Trx>()
  const ended = Promise.withResolvers<void>()
  const transaction = own.db.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    await sql`set local transaction_timeout = 0`.execute(trx)
    for (let tries = 0; !(await tryLock(trx)); tries += 1) {
      if (tries === 0) onWait()
      await delay(TRY_EVERY_MS)
    }
    held.resolve(trx)
    await ended.promise
  })
  transaction.catch(held.reject)
  try {
    const trx = await held.promise
    return {
      requireHeld: async () => void (await sql`select 1`.execute(trx)),
      end: async () => {
        ended.resolve()
        await transaction.catch(() => undefined)
        await own.close()
      },
    }
  } catch (error) {
    await own.close()
    throw error
  }
}

async function tryLock(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock_shared(${LOCKS.storageCollection}) as locked`.execute(trx)
  return rows[0]?.locked === true
}
