import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { residentMegabytes } from './lib/memory.ts'
import { post } from './lib/post.ts'
import { report } from './lib/report.ts'
import type { Subject } from './lib/subject.ts'

const SESSIONS = 10_000
const LANES = 16
/** The first sessions warm up what grows once: compiled code, connections, buffers. */
const WARM = 2_000

/** Memory of the service while ten thousand people use it, each with a session and token of their own. */
export async function benchSessions({ service, base, email, connectionString }: Subject): Promise<void> {
  const tokens = await openSessions(connectionString, email)
  const pid = service.child.pid ?? 0
  const use = async (some: string[]): Promise<void> => {
    const rest = [...some]
    const lane = async (): Promise<void> => {
      for (let token = rest.pop(); token !== undefined; token = rest.pop()) {
        const { accessToken } = await post<{ accessToken: string }>(`${base}/api/auth/refresh`, { refreshToken: token })
        const headers = { authorization: `Bearer ${accessToken}` }
        await (await fetch(`${base}/me`, { headers })).arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }
  await use(tokens.slice(0, WARM))
  const before = await residentMegabytes(pid)
  await use(tokens.slice(WARM))
  const after = await residentMegabytes(pid)
  report({
    figure: `memory under ${SESSIONS} sessions`,
    value: after,
    limit: before,
    unit: 'MB',
    ratio: after / before,
    aim: 'at most 1.25 of that under 2000',
    reached: after / before <= 1.25,
  })
}

/** Signing in ten thousand times would take minutes of Argon2id, which is not the point here. */
async function openSessions(connectionString: string, email: string): Promise<string[]> {
  const tokens = Array.from({ length: SESSIONS }, () => randomBytes(32).toString('base64url'))
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'))
  const pool = new pg.Pool({ connectionString, max: 1 })
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
  await pool.end()
  return tokens
}
