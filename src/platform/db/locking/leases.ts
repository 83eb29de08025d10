import { sql } from 'kysely'
import { runForAll } from '../../concurrency/request-context.ts'
import type { Db, Trx } from '../index.ts'

/** The right of one process to work on a row. The token identifies the holder, even after the lease has ended. */
export interface HeldRow {
  id: string
  token: string
}

/**
 * Defines leases on the rows of a table with a column `lease_token`. If a process dies, its lease expires.
 *
 * @param columns `id` identifies a row, `until` is the end of its lease
 */
export function defineLeases(table: string, columns: { id: string; until: string }) {
  const [id, token] = [columns.id, 'lease_token'].map((name) => sql.ref(`${table}.${name}`))
  const isHeld = (held: HeldRow) => sql<boolean>`(${id} = ${held.id} and ${token} = ${held.token})`
  return {
    /**
     * Returns the SQL condition that the process still holds the lease of the row. Every change includes this
     * condition, so that a process whose lease ended changes nothing.
     */
    isHeld,
    /** Moves the end of a lease. Returns false if another process has taken over the row. */
    renew: async (db: Db | Trx, held: HeldRow, end: Date): Promise<boolean> => {
      const change = sql`update ${sql.table(table)} set ${sql.ref(columns.until)} = ${end} where ${isHeld(held)}`
      return (await change.execute(db)).numAffectedRows === 1n
    },
  }
}

export interface KeptLease {
  everyMs: number
  renew(): Promise<unknown>
  onError(error: unknown): void
}

/** Renews a lease until the returned function is called, as work of the service: it waits for no budget of a caller. */
export function keepLease({ everyMs, renew, onError }: KeptLease): () => void {
  let isRenewing = false
  const timer = setInterval(async () => {
    // Skips a renewal while the previous one runs, so that a slow database does not get requests faster than it
    // responds.
    if (isRenewing) return
    isRenewing = true
    await runForAll(renew).catch(onError)
    isRenewing = false
  }, everyMs)
  return () => clearInterval(timer)
}
