import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'

/**
 * Writes the account's second factors into the user's row. Call it in the transaction that confirms or removes one,
 * with the user locked: a sign-in that waits for that lock then sees them.
 *
 * @returns the factors: `totp`, `sms`, `webauthn`
 */
export async function refreshMfaMethods(trx: Trx, userId: string): Promise<string[]> {
  const { rows } = await sql<{ methods: string[] }>`
    update users set mfa_methods = array(
      select method from mfa_factors where user_id = ${userId} and confirmed_at is not null
      union all
      select 'webauthn' where exists (select from passkeys where user_id = ${userId})
      order by 1 desc)
    where id = ${userId}
    returning mfa_methods as methods`.execute(trx)
  return rows[0]?.methods ?? []
}
