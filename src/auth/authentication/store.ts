import type { Pool } from 'pg'
import type { AccountRole } from '../access/permissions.ts'

/** The account that issued a customer token, and the grants of its API key; null for a session. */
export interface TokenIssuer extends AccountRole {
  grants: string[] | null
}

/**
 * Finds the issuer of a customer token, unless the token has ended: its customer exists without an account, and its
 * issuer is enabled, is at least an operator and still has the session or the API key.
 */
export async function findTokenIssuer(
  pool: Pool,
  { userId, issuerId, credentialId, now }: { userId: string; issuerId: string; credentialId: string; now: Date },
): Promise<TokenIssuer | undefined> {
  const { rows } = await pool.query<TokenIssuer>({
    name: 'customer_token',
    text: `select issuer.role, issuer.staff_role as "staffRole", credential.grants
           from users customer, users issuer, lateral (
             select null::text[] as grants from sessions s
             where s.id = $3 and s.user_id = issuer.id and s.ended_at is null
             union all
             select k.permissions from api_keys k
             where k.id = $3 and k.user_id = issuer.id and k.revoked_at is null
               and (k.expires_at is null or k.expires_at > $4)
           ) credential
           where customer.id = $1 and customer.role = 'customer' and customer.kind <> 'account'
             and customer.deleted_at is null and customer.disabled_at is null
             and issuer.id = $2 and issuer.role in ('operator', 'admin') and issuer.disabled_at is null`,
    values: [userId, issuerId, credentialId, now],
  })
  return rows[0]
}

/** Finds the current role of a session's user; undefined if the session has ended or the user is disabled. */
export async function findSessionRole(pool: Pool, sessionId: string): Promise<AccountRole | undefined> {
  const { rows } = await pool.query<AccountRole>({
    name: 'session_role',
    text: `select u.role, u.staff_role as "staffRole" from sessions s join users u on u.id = s.user_id
           where s.id = $1 and s.ended_at is null and u.disabled_at is null`,
    values: [sessionId],
  })
  return rows[0]
}
