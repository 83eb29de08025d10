import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'

/**
 * Stores the list of the account's second factors in the row of the user. Call it in the transaction that confirms or
 * removes a factor, after locking the user. A sign-in that waits for the lock then reads the new list.
 *
 * @returns the second factors: `totp`, `sms`, `webauthn`
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
