import type { Pool } from 'pg'
import type { Role } from '../../platform/http/core/principal.ts'

/**
 * Tells whether a customer token still works: its customer exists without an account, and its issuer is enabled, is at
 * least an operator and still has the session, or the API key with `customers:write`.
 */
export async function isCustomerTokenUsable(
  pool: Pool,
  { userId, issuerId, credentialId, now }: { userId: string; issuerId: string; credentialId: string; now: Date },
): Promise<boolean> {
  const { rows } = await pool.query({
    name: 'customer_token',
    text: `select from users customer, users issuer
           where customer.id = $1 and customer.role = 'customer' and customer.kind <> 'account'
             and customer.deleted_at is null and customer.disabled_at is null
             and issuer.id = $2 and issuer.role in ('operator', 'admin') and issuer.disabled_at is null
             and (
               exists (select from sessions s where s.id = $3 and s.user_id = issuer.id and s.ended_at is null)
               or exists (select from api_keys k where k.id = $3 and k.user_id = issuer.id and k.revoked_at is null
                 and (k.expires_at is null or k.expires_at > $4) and 'customers:write' = any (k.permissions))
             )`,
    values: [userId, issuerId, credentialId, now],
  })
  return rows.length > 0
}

/** Finds the current role of a session's user; undefined if the session has ended or the user is disabled. */
export async function findSessionRole(pool: Pool, sessionId: string): Promise<Role | undefined> {
  const { rows } = await pool.query<{ role: Role }>({
    name: 'session_role',
    text: `select u.role from sessions s join users u on u.id = s.user_id
           where s.id = $1 and s.ended_at is null and u.disabled_at is null`,
    values: [sessionId],
  })
  return rows[0]?.role
}
