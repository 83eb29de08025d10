import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { ApiError, call, signUp } from '../../scripts/lib/client.ts'
import { makePhoto, postcardDocument } from '../../scripts/lib/postcard.ts'
import { type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import type { DesignDocument, LayerInput } from '../../src/drawing/index.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { atRate } from '../lib/events.ts'
import { median, quantile } from '../lib/load.ts'
import { withOtherTexts } from '../lib/postcards.ts'
import { report } from '../lib/report.ts'
import { seed } from '../lib/seed.ts'

const CUSTOMERS = 6
const ATTACKERS = 8
/** As many as an account may wait for, and one more. */
const REQUESTS_PER_ATTACKER = 9
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60)
const PER_SECOND = { preview: 8, finalize: 3 }
/** For people, an answer that comes later has failed. */
const MOST_MS = 1_000

interface Account {
  token: string
  headers: { 'x-forwarded-for': string }
  designId: string
}

/**
 * Measures previews and finalizations of customers who have ordered, while new accounts of one network ask for previews
 * that take seconds. The limit of requests is on, as by default.
 */
export async function benchNeighbours(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: createLog({ level: 'warn' }) })
  const { connectionString } = postgres
  const env = { PLATEN_DATA_DIR: dataDir, PLATEN_DATABASE_URL: connectionString, PLATEN_TRUSTED_PROXIES: '127.0.0.1' }
  try {
    const setUp = await startServiceProcess({ ...env, PLATEN_RATE_LIMITS: 'off' })
    await seed(connectionString)
    const { customers, attackers } = await createAccounts(setUp, connectionString).finally(setUp.stop)
    const service = await startServiceProcess({ ...env, PLATEN_PROCESSES: '2' })
    try {
      await visit(service, customers, 20)
      const alone = await visit(service, customers, SECONDS)
      const stopping = new AbortController()
      const attack = drawHeavily(service, attackers, stopping.signal)
      await visit(service, customers, 20)
      const beside = await visit(service, customers, SECONDS)
      stopping.abort()
      const answers = await attack
      for (const kind of ['preview', 'finalize'] as const) {
        const value = median(beside[kind])
        report({
          figure: `${kind} of customers while ${ATTACKERS} new accounts of a network draw heavily, p50`,
          ...{ value, limit: MOST_MS, unit: 'ms', ratio: value / MOST_MS },
          ...{ aim: 'under 1 s', reached: value < MOST_MS },
          ...{ p95Ms: p95(beside[kind]), aloneP50Ms: median(alone[kind]), aloneP95Ms: p95(alone[kind]) },
          ...{ requests: beside[kind].length, failed: beside.failed, answers },
        })
      }
    } finally {
      await service.stop()
    }
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const p95 = (values: number[]) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.95,
  )

async function createAccounts(service: ServiceProcess, connectionString: string) {
  const base = `${service.origin}/v1`
  const { body: products } = await call('GET', `${base}/products?limit=100`)
  const product = products.data.find((one: { name: string }) => one.name === 'A6 postcard')
  const areas = { productId: product.id, variantId: product.variants[0].id }
  const create = async (network: string, documentOf: (token: string) => Promise<unknown>): Promise<Account> => {
    const { accessToken } = await signUp(
      service.origin,
      `${randomUUID()}@example.com`,
      `a measured walk ${randomUUID()}`,
    )
    const json = { name: 'bench', permissions: ['designs:write', 'designs:read', 'assets:write'] }
    const { body: key } = await call('POST', `${base}/api/api-keys`, { token: accessToken, json })
    const document = await documentOf(key.key)
    const { body } = await call('POST', `${base}/designs`, { token: key.key, json: { ...areas, document } })
    return { token: key.key, headers: { 'x-forwarded-for': network }, designId: body.id }
  }
  const postcard = async (token: string) => {
    const headers = { 'content-type': 'image/jpeg' }
    const { body: asset } = await call('POST', `${base}/assets`, { token, bytes: makePhoto(), headers })
    return postcardDocument(asset.id)
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number + 1)
  const customers: Account[] = []
  for (const number of numbers(CUSTOMERS)) customers.push(await create(`198.51.${number}.1`, postcard))
  await forgetNewcomers(connectionString)
  const attackers: Account[] = []
  for (const number of numbers(ATTACKERS)) attackers.push(await create(`203.0.113.${number}`, async () => heavy()))
  return { customers, attackers }
}

/** As if an order of each account were in production. */
async function forgetNewcomers(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('delete from newcomers')
  await client.end()
}

/** A document whose preview takes about five seconds: long stroked paths that cross themselves. */
function heavy() {
  let path = 'M0 0'
  for (let line = 0; path.length < 65_000; line += 1) path += `L${(line * line * 37) % 97} ${(line * line * 61) % 89}`
  const box = { x: 2, y: 2, width: 140, height: 100, fill: '#336699', stroke: { color: '#123456', widthMm: 1 } }
  const layers = [0, 1, 2].map((id) => ({ id: `${id}`, type: 'shape', shape: 'path', path, ...box }) as LayerInput)
  return { version: 1, placements: [{ printAreaId: 'front', layers }] }
}

let postcards = 0

/** Previews and finalizes new designs at a fixed rate, and returns how long each took in milliseconds. */
async function visit({ origin }: ServiceProcess, customers: readonly Account[], seconds: number) {
  const base = `${origin}/v1`
  const times = { preview: [] as number[], finalize: [] as number[] }
  const failed: Record<string, number> = {}
  const design = await Promise.all(
    customers.map(async ({ token, headers, designId }) => {
      const { body } = await call('GET', `${base}/designs/${designId}`, { token, headers })
      return body
    }),
  )
  const visitOnce = async (kind: keyof typeof times, number: number): Promise<void> => {
    const index = number % customers.length
    const { token, headers } = customers[index] as Account
    const { productId, variantId, document } = design[index]
    postcards += 1
    const json = { productId, variantId, document: withOtherTexts(document as DesignDocument, postcards) }
    try {
      const { body } = await call('POST', `${base}/designs`, { token, headers, json })
      const url = `${base}/designs/${body.id}`
      const begin = performance.now()
      if (kind === 'preview') await call('GET', `${url}/preview`, { token, headers })
      else await call('POST', `${url}/finalize`, { token, headers })
      times[kind].push(performance.now() - begin)
    } catch (error) {
      const status = error instanceof ApiError ? error.status : String(error)
      failed[status] = (failed[status] ?? 0) + 1
    }
  }
  await Promise.all(
    (['preview', 'finalize'] as const).map((kind) =>
      atRate({ perSecond: PER_SECOND[kind], seconds }, (number) => visitOnce(kind, number)),
    ),
  )
  return { ...times, failed }
}

/** Asks for previews without a pause, and counts the answers by their status. */
async function drawHeavily({ origin }: ServiceProcess, attackers: readonly Account[], signal: AbortSignal) {
  const answers: Record<string, number> = {}
  let width = 1_000
  const lane = async ({ token, headers, designId }: Account): Promise<void> => {
    while (!signal.aborted) {
      width = width === 2_000 ? 1_000 : width + 1
      const url = `${origin}/v1/designs/${designId}/preview?width=${width}`
      const status = await fetch(url, { headers: { ...headers, authorization: `Bearer ${token}` }, signal }).then(
        async (answer) => answer.arrayBuffer().then(() => answer.status),
        () => 'none',
      )
      answers[status] = (answers[status] ?? 0) + 1
      if (status === 429) await delay(200)
    }
  }
  await Promise.all(
    attackers.flatMap((attacker) => Array.from({ length: REQUESTS_PER_ATTACKER }, () => lane(attacker))),
  )
  return answers
}
