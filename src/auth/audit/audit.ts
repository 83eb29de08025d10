import type { Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { SecurityEvent } from './events.ts'
import { insertSecurityEvent, type SecurityEventRow, toRow } from './store.ts'

/** The record of what happened to accounts. */
export interface Audit {
  /** Records an event in the transaction that makes it true. */
  record(trx: Db | Trx, event: SecurityEvent): Promise<void>
  /** The row of an event, for a statement that stores it together with the change itself. */
  row(event: SecurityEvent): SecurityEventRow
}

/** @param sealer seals what is recorded; without one (a command that ends) the service does it within a minute */
export function createAudit({ clock, sealer }: { clock: Clock; sealer?: { note(): void } }): Audit {
  const row = (event: SecurityEvent): SecurityEventRow => {
    sealer?.note()
    return toRow(event, clock.now())
  }
  return {
    record: (trx, event) => insertSecurityEvent(trx, row(event)),
    row,
  }
}
