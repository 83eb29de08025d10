import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'
import { authProblems } from '../problems.ts'

export interface Removal {
  passkeyId?: string
  provider?: string
}

/**
 * Rejects the removal of the last sign-in method of an account: a password, another passkey or another linked provider
 * must remain. The caller must have locked the user, so that the second of two concurrent removals takes the first into
 * account.
 *
 * @throws `last_way_in`
 */
export async function requireAnotherSignInMethod(
  trx: Trx,
  userId: string,
  { passkeyId, provider }: Removal,
): Promise<void> {
  const { rows } = await sql`
    select from users where id = ${userId} and password_hash is not null
    union all
    select from passkeys where user_id = ${userId} and id is distinct from ${passkeyId ?? null}
    union all
    select from identities where user_id = ${userId} and provider is distinct from ${provider ?? null}
    limit 1`.execute(trx)
  if (rows.length === 0) throw authProblems.last_way_in()
}
