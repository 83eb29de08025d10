import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import type { Log } from '../../telemetry/log.ts'
import { type Migration, statementsOf } from './read-migrations.ts'

const NEW_INDEX = /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\b/i
const LOOK_EVERY_MS = 1_000
const REPORT_EVERY_LOOKS = 5

/**
 * Runs the statements of a migration outside a transaction. If an interrupted attempt left an index, a complete index
 * is used, and an incomplete index is dropped and built again.
 */
export async function buildConcurrently(
  { work, log }: { work: ClientBase; log: Log },
  { name, sql }: Migration,
): Promise<void> {
  for (const statement of statementsOf(sql)) {
    const index = NEW_INDEX.exec(statement)?.[1]
    if (index === undefined) await work.query(statement)
    else if ((await findIndex(work, log, { index, migration: name })) !== 'valid') await work.query(statement)
  }
}

/** Returns the state of an index. An incomplete index is dropped. */
async function findIndex(
  work: ClientBase,
  log: Log,
  { index, migration }: { index: string; migration: string },
): Promise<'valid' | 'none'> {
  for (let looks = 0; ; looks += 1) {
    const { rows } = await work.query<{ valid: boolean; builder: number | null }>(
      `select i.indisvalid as valid, p.pid as builder
       from pg_index i left join pg_stat_progress_create_index p on p.index_relid = i.indexrelid
       where i.indexrelid = to_regclass($1)`,
      [index],
    )
    const [found] = rows
    if (found === undefined) return 'none'
    if (found.valid) return 'valid'
    if (found.builder === null) {
      log.warn({ migration, index }, 'an interrupted migration left an incomplete index, which is built again')
      await work.query(`drop index concurrently if exists ${index}`)
      return 'none'
    }
    // The server continues to build an index after the process that requested it was killed.
    if (looks % REPORT_EVERY_LOOKS === 0) {
      log.warn({ migration, index, pid: found.builder }, 'waiting for an index that the server is still building')
    }
    await delay(LOOK_EVERY_MS)
  }
}
