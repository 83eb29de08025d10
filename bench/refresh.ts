import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { signIn } from '../scripts/lib/client.ts'
import { median, quantile, repeat } from './lib/load.ts'
import { post } from './lib/post.ts'
import { report } from './lib/report.ts'
import type { Subject } from './lib/subject.ts'

const ROUNDS = 3
const SECONDS = 4
const CONCURRENCY = 8

/** Compares token refreshes with a durable transaction of two statements in the same database. */
export async function benchRefresh({ service, base, email, password, connectionString }: Subject): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: CONCURRENCY })
  await pool.query('create table bench_tokens (id text primary key, successor text)')
  // Refreshes of customers are limited.
  await pool.query("update users set role = 'operator' where email = $1", [email])
  const sessions: string[] = []
  for (let lane = 0; lane < CONCURRENCY; lane += 1)
    sessions.push((await signIn(service.origin, email, password)).refreshToken)
  const refresh = async () => {
    // Only one caller at a time refreshes a session, as with real clients.
    const current = sessions.shift()
    if (current === undefined) throw new Error('more callers than sessions')
    const { refreshToken } = await post<{ refreshToken: string }>(`${base}/api/auth/refresh`, { refreshToken: current })
    sessions.push(refreshToken)
  }
  const rounds = []
  await repeat(refresh, { concurrency: CONCURRENCY, seconds: 1 })
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await repeat(() => bareTransaction(pool), { concurrency: CONCURRENCY, seconds: SECONDS })
    rounds.push({ bare, ours: await repeat(refresh, { concurrency: CONCURRENCY, seconds: SECONDS }) })
  }
  await pool.query("update users set role = 'customer' where email = $1", [email])
  await pool.query('drop table bench_tokens')
  await pool.end()
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond))
  report({
    figure: 'refresh',
    value: median(rounds.map((round) => round.ours.perSecond)),
    limit: median(rounds.map((round) => round.bare.perSecond)),
    unit: 'refreshes/s',
    ratio,
    aim: 'at least 0.5',
    reached: ratio >= 0.5,
    p50Ms: median(rounds.map((round) => quantile(round.ours.sortedMs, 0.5))),
  })
}

async function bareTransaction(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  const id = randomUUID()
  try {
    await client.query('begin')
    await client.query({ name: 'insert', text: 'insert into bench_tokens values ($1, null)', values: [id] })
    await client.query({
      name: 'update',
      text: 'update bench_tokens set successor = $2 where id = $1',
      values: [id, id],
    })
    await client.query('commit')
  } finally {
    client.release()
  }
}
