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

export function createAudit({ clock }: { clock: Clock }): Audit {
  return {
    record: (trx, event) => insertSecurityEvent(trx, toRow(event, clock.now())),
    row: (event) => toRow(event, clock.now()),
  }
}
