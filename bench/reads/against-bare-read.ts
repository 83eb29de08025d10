import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../scripts/lib/service-process.ts'
import { compare } from '../generator/compare.ts'
import { generate, type Plan } from '../generator/generator.ts'
import { startScript } from '../lib/child.ts'
import type { Subject } from '../lib/subject.ts'

const CONNECTIONS = 32
const SECONDS = 3

export interface BareRead {
  figure: string
  path: string
  aim: number
}

/**
 * Compares authenticated reads of the service with a server that sends the same bytes, which it reads with one
 * statement from one row.
 */
export async function againstBareRead(subject: Subject, { figure, path, aim }: BareRead): Promise<void> {
  const { base, token, connectionString, service, postgresPid } = subject
  const headers = { authorization: `Bearer ${token}` }
  const body = await (await fetch(`${base}${path}`, { headers })).text()
  const id = await storeBody(connectionString, body)
  const port = await freePort()
  const bare = await startScript(join(import.meta.dirname, '../generator/bare-server.ts'), [
    connectionString,
    String(port),
  ])
  const plan: Plan = { url: `${base}${path}`, connections: CONNECTIONS, seconds: SECONDS, headers }
  await compare({
    figure,
    unit: `requests/s at ${CONNECTIONS} connections`,
    aim,
    ours: { pid: service.child.pid, run: () => generate(plan) },
    limit: { pid: bare.pid, run: () => generate({ ...plan, url: `http://127.0.0.1:${port}/${id}`, headers: {} }) },
    postgresPid,
  })
  await bare.stop()
}

/** Compares reads of a client that has the current version with reads of one that has not. */
export async function unchangedAgainstRead(subject: Subject, { figure, path, aim }: BareRead): Promise<void> {
  const { base, token, service, postgresPid } = subject
  const authorization = `Bearer ${token}`
  const response = await fetch(`${base}${path}`, { headers: { authorization } })
  const plan: Plan = { url: `${base}${path}`, connections: CONNECTIONS, seconds: SECONDS, headers: { authorization } }
  const headers = { authorization, 'if-none-match': response.headers.get('etag') ?? '' }
  await compare({
    figure,
    unit: `requests/s at ${CONNECTIONS} connections`,
    aim,
    ours: { pid: service.child.pid, run: () => generate({ ...plan, headers }) },
    limit: { pid: service.child.pid, run: () => generate(plan) },
    postgresPid,
  })
}

/** Stores a response for the bare server. Returns the id of its row. */
async function storeBody(connectionString: string, body: string): Promise<string> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('create table if not exists bench_bodies (id text primary key, body text not null)')
  const { rows } = await client.query(
    "insert into bench_bodies values ('body-' || (select count(*) from bench_bodies), $1) returning id",
    [body],
  )
  await client.end()
  return rows[0].id
}
