import type { TestContext } from 'node:test'
import { startServiceProcess } from '../../../scripts/lib/service-process.ts'
import type { PoolSettings } from '../../../src/platform/db/index.ts'
import { startTransactionPooler } from '../../fakes/transaction-pooler.ts'
import { urlOf } from './database-url.ts'
import { pgBouncer, startPgBouncer } from './pgbouncer.ts'
import { startReverseProxy } from './reverse-proxy.ts'

/** Several processes that load the program take long if other tests keep the processors busy. */
const START_MS = 180_000

/** Fewer connections to the server than the nodes open, so that transactions of one client change connections. */
const SERVER_CONNECTIONS = 12

interface FleetOptions {
  nodes: number
  /** API processes of each node. */
  processes: number
  database: PoolSettings
  /** Settings of all nodes. */
  env: Record<string, string>
}

export interface Fleet {
  /** URL of the reverse proxy in front of the nodes. */
  origin: string
  /** What each node has logged. */
  outputs(): string[]
}

/**
 * Starts nodes with several API processes on one database, behind a reverse proxy and a pooler in transaction mode. These
 * are nginx and PgBouncer if they are installed, or else programs of the tests.
 */
export async function startFleet(t: TestContext, { nodes, processes, database, env }: FleetOptions): Promise<Fleet> {
  const startPooler = pgBouncer === undefined ? startTransactionPooler : startPgBouncer
  const pooled = await startPooler(t, database, SERVER_CONNECTIONS)
  const settings = {
    ...env,
    PLATEN_LOG_LEVEL: 'info',
    PLATEN_PROCESSES: String(processes),
    PLATEN_DATABASE_URL: urlOf(pooled),
    PLATEN_DATABASE_DIRECT_URL: urlOf(database),
    PLATEN_DATABASE_PREPARED: pgBouncer?.keepsStatements === true ? 'on' : 'off',
    PLATEN_TRUSTED_PROXIES: '127.0.0.1',
  }
  const started = await Promise.all(
    Array.from({ length: nodes }, async () => {
      const node = await startServiceProcess(settings, START_MS)
      t.after(() => node.child.kill('SIGKILL'))
      return node
    }),
  )
  const origin = await startReverseProxy(
    t,
    started.map((node) => node.origin),
  )
  return { origin, outputs: () => started.map((node) => node.output()) }
}
