import type { Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { SecurityEvent } from './events.ts'
import { insertSecurityEvent, type SecurityEventRow, toRow } from './store.ts'

/** The log of security events. */
export interface Audit {
  /** Records an event in the transaction of the change that it reports. */
  record(trx: Db | Trx, event: SecurityEvent): Promise<void>
  /** Returns the row of an event, for a statement that stores it together with the change. */
  row(event: SecurityEvent): SecurityEventRow
}

/** @param sealer seals new events; without one, as in a command that ends, the service seals them within a minute */
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
