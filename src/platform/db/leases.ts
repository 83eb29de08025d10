import { sql } from 'kysely'
import type { Db, Trx } from './index.ts'

/** The right of one process to work on a row. The token identifies the holder, also after the lease has ended. */
export interface HeldRow {
  id: string
  token: string
}

/**
 * Defines the leases on the rows of a table, which has a column `lease_token`. A process that dies leaves a lease that
 * ends by itself.
 *
 * @param columns `id` identifies a row, `until` is the end of its lease
 */
export function defineLeases(table: string, columns: { id: string; until: string }) {
  const [id, token] = [columns.id, 'lease_token'].map((name) => sql.ref(`${table}.${name}`))
  const isHeld = (held: HeldRow) => sql<boolean>`(${id} = ${held.id} and ${token} = ${held.token})`
  return {
    /** Condition that the row is still held. Changes of a holder name it, so that a late holder changes nothing. */
    isHeld,
    /** Moves the end of a lease. Returns false if another process took the row over. */
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

/** Renews a lease until the returned function is called. */
export function keepLease({ everyMs, renew, onError }: KeptLease): () => void {
  let isRenewing = false
  const timer = setInterval(async () => {
    // A slow database must not get requests faster than it responds.
    if (isRenewing) return
    isRenewing = true
    await renew().catch(onError)
    isRenewing = false
  }, everyMs)
  return () => clearInterval(timer)
}
