import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { call } from '../../scripts/lib/client.ts'
import { post } from '../lib/post.ts'
import { residentMegabytes } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const SESSIONS = 10_000
/**
 * The number of sessions in the first measurement. They send as many requests as all sessions together, because the
 * heap of V8 grows with the work done.
 */
const FEW = 500
const LANES = 16

/** Compares the memory of the service after the same work with ten thousand sessions and with a few. */
export async function benchSessions({ service, base, email, connectionString }: Subject): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1 })
  // Refreshes of customers are limited.
  await pool.query("update users set role = 'operator' where email = $1", [email])
  const tokens = await openSessions(pool, email)
  const pid = service.child.pid ?? 0
  await useAll(base, tokens.slice(0, FEW), (2 * SESSIONS) / FEW)
  const few = await residentMegabytes(pid)
  await useAll(base, tokens.slice(FEW), 1)
  const many = await residentMegabytes(pid)
  await pool.query("update users set role = 'customer' where email = $1", [email])
  await pool.end()
  report({
    figure: `memory with ${SESSIONS} sessions`,
    value: many,
    limit: few,
    unit: 'MB',
    ratio: many / few,
    aim: `at most 1.1 times the memory with ${FEW}`,
    reached: many / few <= 1.1,
  })
}

/** Refreshes each session `rounds` times, and reads the account with each new access token. */
async function useAll(base: string, tokens: readonly string[], rounds: number): Promise<void> {
  const waiting = [...tokens]
  const lane = async (): Promise<void> => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      let current = token
      for (let round = 0; round < rounds; round += 1) {
        const { accessToken, refreshToken } = await post<{ accessToken: string; refreshToken: string }>(
          `${base}/api/auth/refresh`,
          { refreshToken: current },
        )
        current = refreshToken
        await call('GET', `${base}/me`, { token: accessToken })
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/**
 * Inserts the sessions into the database, because ten thousand sign-ins would spend minutes on Argon2id. Returns their
 * refresh tokens.
 */
async function openSessions(pool: pg.Pool, email: string): Promise<string[]> {
  const tokens = Array.from({ length: SESSIONS }, () => randomBytes(32).toString('base64url'))
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'))
  await pool.query(
    `with made as (
       insert into sessions (id, user_id, ip_address, user_agent, created_at, authenticated_at,
         authentication_methods, last_seen_at, refresh_expires_at, expires_at)
       select 'bench_' || n, u.id, '127.0.0.1', 'bench', now(), now(), '{pwd}', now(),
         now() + interval '30 days', now() + interval '90 days'
       from users u, generate_series(1, $2::int) n where u.email = $1
       returning id
     )
     insert into refresh_tokens (token_hash, session_id, expires_at)
     select h.hash, 'bench_' || h.n, now() + interval '30 days'
     from unnest($3::text[]) with ordinality as h (hash, n) where (select count(*) from made) > 0`,
    [email, SESSIONS, hashes],
  )
  return tokens
}
