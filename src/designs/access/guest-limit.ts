import { sql } from 'kysely'
import { customerProblems } from '../../auth/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'

const MAX_DESIGNS = 20
/** Archived ones included, because the response of a claim waits until all of them are moved. */
const MAX_WITH_ARCHIVED = 500

/**
 * Call it in the transaction that creates a design. The lock makes two requests of one guest wait for each other.
 *
 * @throws `guest_limit_reached`
 */
export async function requireGuestRoom(trx: Trx, { kind, userId }: Principal): Promise<void> {
  if (kind !== 'guest') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`designs ${userId}`}, 0))`.execute(trx)
  const { rows } = await sql<{ present: number; all: number }>`
    select count(*) filter (where status <> 'archived')::int as present, count(*)::int as all from (
      select status from designs where owner_id = ${userId} limit ${MAX_WITH_ARCHIVED}::int
    ) as counted`.execute(trx)
  const { present = 0, all = 0 } = rows[0] ?? {}
  if (present >= MAX_DESIGNS || all >= MAX_WITH_ARCHIVED) throw customerProblems.guest_limit_reached()
}
