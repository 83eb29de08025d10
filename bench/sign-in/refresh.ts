import { join } from 'node:path'
import pg from 'pg'
import { signIn } from '../../scripts/lib/client.ts'
import { compare } from '../generator/compare.ts'
import { generate } from '../generator/generator.ts'
import { runScript } from '../lib/child.ts'
import type { Subject } from '../lib/subject.ts'

const SECONDS = 3
const CONNECTIONS = 8

/** Compares token refreshes with a durable transaction of two statements in the same database. */
export async function benchRefresh(subject: Subject): Promise<void> {
  const { service, base, email, password, connectionString, postgresPid } = subject
  const pool = new pg.Pool({ connectionString, max: 1 })
  // Refreshes of customers are limited.
  await pool.query("update users set role = 'operator' where email = $1", [email])
  const refresh = async () => {
    // Each round has sessions of its own, because those with a request in flight at the end of a round are lost. Only
    // one caller at a time refreshes a session, as with real clients. One session more, because `wrk` asks for a
    // request that it does not send.
    const bodies: string[] = []
    for (let session = 0; session <= CONNECTIONS; session += 1) {
      const { refreshToken } = await signIn(service.origin, email, password)
      bodies.push(JSON.stringify({ refreshToken }))
    }
    return {
      url: `${base}/api/auth/refresh`,
      connections: CONNECTIONS,
      seconds: SECONDS,
      post: { bodies, chained: 'refreshToken' },
    }
  }
  const args = [connectionString, String(SECONDS), String(CONNECTIONS)]
  const script = join(import.meta.dirname, 'bare-refresh.ts')
  await compare({
    figure: 'refresh',
    unit: `refreshes/s at ${CONNECTIONS} connections`,
    aim: 0.5,
    ours: { pid: service.child.pid, prepare: refresh, run: generate },
    limit: { pid: undefined, run: async () => JSON.parse(await runScript(script, args)) },
    postgresPid,
  })
  await pool.query("update users set role = 'customer' where email = $1", [email])
  await pool.query('drop table bench_tokens')
  await pool.end()
}
