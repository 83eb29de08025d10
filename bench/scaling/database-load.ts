import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/index.ts'
import { processorMs } from '../lib/processes.ts'

/** What a database server does during a time. */
export interface DatabaseLoad {
  /** Connections at the end, by `application_name`. */
  connections: Record<string, number>
  /** Transactions per second that committed, including single statements. */
  transactionsPerSecond: number
  /** Processor time of all processes of the server per time: 1 is one core. */
  cores: number
  /** The 1-minute load average of the machine at the begin and the end. */
  loadAverages: [number, number]
}

/** Measures a database server while other work runs. */
export async function measureDatabase(db: Db, postgresPid: number, seconds: number): Promise<DatabaseLoad> {
  const loadBefore = await loadAverage()
  const [processorBefore, committedBefore] = [await processorMs(postgresPid), await committed(db)]
  const begin = performance.now()
  await delay(seconds * 1000)
  const [processor, total] = [await processorMs(postgresPid), await committed(db)]
  const took = performance.now() - begin
  return {
    connections: await countConnections(db),
    transactionsPerSecond: ((total - committedBefore) / took) * 1000,
    cores: (processor - processorBefore) / took,
    loadAverages: [loadBefore, await loadAverage()],
  }
}

async function committed(db: Db): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select xact_commit as total from pg_stat_database where datname = current_database()`.execute(db)
  return rows[0]?.total ?? 0
}

async function countConnections(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select application_name as name, count(*)::int from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() group by 1 order by 1`.execute(db)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

async function loadAverage(): Promise<number> {
  return Number.parseFloat(await readFile('/proc/loadavg', 'utf8'))
}
