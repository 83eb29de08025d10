import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { SecurityEvent } from './events.ts'
import { insertSecurityEvent, type SecurityEventRow, toRow } from './store.ts'

/** The log of security events. */
export interface Audit {
  /** Records an event. `trx` is the transaction of the change that the event reports. */
  record(trx: Db | Trx, event: SecurityEvent): Promise<void>
  /**
   * Returns the row of an event, for callers that insert the row in the same statement as the change. They call `note` if
   * the statement has inserted it.
   */
  row(event: SecurityEvent): SecurityEventRow
  /** Counts an event whose row was inserted, and has it sealed. */
  note(row: SecurityEventRow): void
}

export interface AuditDeps {
  clock: Clock
  sealer?: { note(): void }
  registry?: Registry
}

function countEvents(registry: Registry): Counter<'type' | 'result'> {
  return new Counter({
    name: 'platen_security_events_total',
    help: 'Security events of this process, such as `sign_in`, by result: success or failure.',
    labelNames: ['type', 'result'] as const,
    registers: [registry],
  })
}

/**
 * Creates the log of security events.
 *
 * @param sealer seals new events. Without a sealer, as in a command of the terminal, the running service seals them
 * within a minute.
 */
export function createAudit({ clock, sealer, registry }: AuditDeps): Audit {
  const events = registry === undefined ? undefined : countEvents(registry)
  const row = (event: SecurityEvent): SecurityEventRow => toRow(event, clock.now())
  const note = ({ type, result }: SecurityEventRow): void => {
    sealer?.note()
    events?.inc({ type, result })
  }
  return {
    record: async (trx, event) => {
      const made = row(event)
      await insertSecurityEvent(trx, made)
      note(made)
    },
    row,
    note,
  }
}
