import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from './index.ts'

/**
 * The numbers of the advisory locks of the platform. A feature declares its own numbers. Each number must be unique,
 * and must stay the same because different releases may run at the same time.
 */
export const LOCKS = {
  migration: 7_305_416,
  storageCollection: 7_305_420,
  dataFolder: 7_528_366,
} as const

/**
 * Waits until no other transaction holds the lock of a name, and holds it until the transaction ends. Clients may choose
 * parts of the name: they cannot find one whose lock is that of something else, as with `hashtextextended`.
 */
export async function lockName(trx: Trx, name: string): Promise<void> {
  const key = createHash('sha256').update(name).digest().readBigInt64BE()
  await sql`select pg_advisory_xact_lock(${String(key)}::bigint)`.execute(trx)
}
