import { sql } from 'kysely'
import { customerProblems } from '../auth/index.ts'
import type { Trx } from '../platform/db/index.ts'
import type { Principal } from '../platform/http/core/principal.ts'

const MAX_DESIGNS = 20

/**
 * Call it in the transaction that creates a design. The lock makes two requests of one guest wait for each other.
 *
 * @throws `guest_limit_reached`
 */
export async function requireGuestRoom(trx: Trx, { kind, userId }: Principal): Promise<void> {
  if (kind !== 'guest') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`designs ${userId}`}, 0))`.execute(trx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from designs where owner_id = ${userId} and status <> 'archived' limit ${MAX_DESIGNS}::int
    ) as counted`.execute(trx)
  if ((rows[0]?.count ?? 0) >= MAX_DESIGNS) throw customerProblems.guest_limit_reached()
}
