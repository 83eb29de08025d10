import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../index.ts'

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
  await sql`select pg_advisory_xact_lock(${keyOf(name)}::bigint)`.execute(trx)
}

/** Takes the lock as `lockName` does, unless another transaction holds it. Returns whether it was taken. */
export async function tryLockName(trx: Trx, name: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(name)}::bigint) as taken`.execute(trx)
  return rows[0]?.taken === true
}

const keyOf = (name: string): string => String(createHash('sha256').update(name).digest().readBigInt64BE())
