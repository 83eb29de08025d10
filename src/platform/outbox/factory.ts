import type { TestContext } from 'node:test'
import { createDatabase } from '../../../test/harness.ts'
import { type DatabasePool, openDatabase } from '../db/index.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { emit } from './index.ts'

export const log = createLog({ level: 'silent' })

/** Opens pools on a new database. Each pool represents another process. */
export async function openPools(t: TestContext, count: number): Promise<DatabasePool[]> {
  const settings = await createDatabase(t)
  const pools = Array.from({ length: count }, () => openDatabase({ ...settings, max: 4 }, log))
  t.after(() => Promise.all(pools.map((pool) => pool.close())))
  return pools
}

/** Records an event in a separate transaction. */
export async function emitAlone(
  { db }: DatabasePool,
  subject: string,
  { at = new Date(), ownerId = 'usr_1', data = { id: subject } }: { at?: Date; ownerId?: string; data?: object } = {},
): Promise<void> {
  await db.transaction().execute((trx) => emit(trx, { type: 'order.created', subject, ownerId, data, at }))
}

/** Returns a log whose lines a test can read. */
export function collectLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  return { log: createLog({ level: 'warn', destination }), lines }
}
