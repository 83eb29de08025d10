import { Counter, Gauge, type Registry } from 'prom-client'
import type { BudgetUse, TransferUse } from './admission/transfer-budgets.ts'
import type { DatabasePool } from './index.ts'

/** Exposes the connections of the main pool, the requests that wait for one, and the bytes that callers move. */
export function measureDatabase(registry: Registry, load: DatabasePool['load']): void {
  measureConnections(registry, load)
  measureTransfers(registry, load)
}

function measureConnections(registry: Registry, load: DatabasePool['load']): void {
  new Gauge({
    name: 'platen_database_connections',
    help: 'Connections of the main pool of the process, by state: busy or idle.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { busy, idle } = load()
      this.set({ state: 'busy' }, busy)
      this.set({ state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'platen_database_requests_waiting',
    help: 'Statements that wait for a connection of the main pool.',
    registers: [registry],
    collect() {
      this.set(load().waiting)
    },
  })
  new Counter({
    name: 'platen_database_connection_timeouts_total',
    help: 'Statements that got no connection in time.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(load().timeouts)
    },
  })
  new Counter({
    name: 'platen_database_slow_statements_total',
    help: 'Statements that took PLATEN_SLOW_STATEMENT_MS or more.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(load().slowStatements)
    },
  })
}

/** Exposes what the budgets of callers count. With `PLATEN_RATE_LIMITS=off`, there are no budgets and no values. */
function measureTransfers(registry: Registry, load: DatabasePool['load']): void {
  countUse(registry, () => load().transfers, {
    bytes: {
      name: 'platen_database_transferred_bytes_total',
      help: 'Bytes between the process and the database that were charged to callers, by kind of caller.',
    },
    waits: {
      name: 'platen_database_transfer_waits_total',
      help: 'Statements and turns that waited because their caller had moved too many bytes.',
    },
    refusals: {
      name: 'platen_database_transfer_refusals_total',
      help: 'Statements and turns that were refused because their caller had moved too many bytes.',
    },
  })
}

/** Exposes a counter for each kind of use, by kind of caller. */
export function countUse(
  registry: Registry,
  use: () => TransferUse | undefined,
  counters: Partial<Record<keyof BudgetUse, { name: string; help: string }>>,
): void {
  for (const kind of ['bytes', 'waits', 'refusals'] as const) {
    const counter = counters[kind]
    if (counter === undefined) continue
    new Counter({
      ...counter,
      labelNames: ['caller'] as const,
      registers: [registry],
      collect() {
        this.reset()
        for (const [caller, counts] of Object.entries(use() ?? {})) this.inc({ caller }, counts[kind])
      },
    })
  }
}
