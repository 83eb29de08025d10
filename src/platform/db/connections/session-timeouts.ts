import type pg from 'pg'
import type { Log } from '../../telemetry/log.ts'

/**
 * Timeouts of each session, in milliseconds. That of locks is shorter than that of a statement, so that a client does
 * not wait 30 s for a lock that another transaction holds.
 */
export const SESSION_TIMEOUTS = {
  statement_timeout: 30_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 30_000,
}

/**
 * Warns if sessions of a pool have no timeouts. Behind a pooler they come from the role, because a client of a
 * pooler cannot set them.
 */
export async function warnOfMissingTimeouts(pool: Pick<pg.Pool, 'query'>, log: Log): Promise<void> {
  const names = Object.keys(SESSION_TIMEOUTS) as (keyof typeof SESSION_TIMEOUTS)[]
  const { rows } = await pool.query<{ name: keyof typeof SESSION_TIMEOUTS; role: string }>(
    `select name, quote_ident(current_user) as role from pg_settings where name = any($1) and setting = '0' order by name`,
    [names],
  )
  if (rows.length === 0) return
  const statements = rows.map(({ name, role }) => `alter role ${role} set ${name} = ${SESSION_TIMEOUTS[name]};`)
  log.warn({ statements }, 'database sessions have no timeouts; run these statements in the database')
}
