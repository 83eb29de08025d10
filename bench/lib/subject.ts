import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { call, signUp } from '../../scripts/lib/client.ts'
import { makePhoto, postcardDocument } from '../../scripts/lib/postcard.ts'
import type { ServiceProcess } from '../../scripts/lib/service-process.ts'
import { parentOf } from './processes.ts'

/** A running service with an account, a photo and a design of an A6 postcard. */
export interface Subject {
  service: ServiceProcess
  base: string
  connectionString: string
  /** The process of PostgreSQL that started the others. */
  postgresPid: number
  dataDir: string
  email: string
  password: string
  token: string
  refreshToken: string
  designId: string
}

export async function prepare(service: ServiceProcess, connectionString: string, dataDir: string): Promise<Subject> {
  const base = `${service.origin}/v1`
  const email = `bench-${randomUUID()}@example.com`
  const password = `a measured walk ${randomUUID()}`
  const { accessToken: token, refreshToken } = await signUp(service.origin, email, password)
  const { body: products } = await call('GET', `${base}/products?limit=100`)
  const product = products.data.find((one: { name: string }) => one.name === 'A6 postcard')
  const { body: asset } = await call('POST', `${base}/assets`, {
    token,
    bytes: makePhoto(),
    headers: { 'content-type': 'image/jpeg' },
  })
  const json = { productId: product.id, variantId: product.variants[0].id, document: postcardDocument(asset.id) }
  const { body: design } = await call('POST', `${base}/designs`, { token, json })
  const postgresPid = await findPostgres(connectionString)
  const account = { email, password, token, refreshToken }
  return { service, base, connectionString, postgresPid, dataDir, ...account, designId: design.id }
}

async function findPostgres(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const pid = await parentOf(rows[0].pid)
  await client.end()
  return pid
}
