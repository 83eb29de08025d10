import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { call, signIn, signUp } from '../../scripts/lib/client.ts'
import { makePhoto, postcardDocument } from '../../scripts/lib/postcard.ts'
import { type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import type { DesignDocument } from '../../src/drawing/index.ts'
import { atRate } from '../lib/events.ts'
import { quantile, repeat } from '../lib/load.ts'
import { withOtherTexts } from '../lib/postcards.ts'
import { proportionalMegabytesOfAll } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import { SHIPPING_ADDRESS } from '../orders/basket.ts'

/** `BENCH_MINUTES` sets another number. */
const MINUTES = Number(process.env['BENCH_MINUTES'] ?? 30)
/** Part of the visits that the service serves at most. */
const LOAD = 0.7
/** Without a common divisor with the numbers of visits that order and sign in, so that all customers do so. */
const CUSTOMERS = 23
const LANES = 8
const CALIBRATION_SECONDS = 60
const SAMPLE_EVERY_MS = 10_000
const MOST_GROWTH = 1.2

interface Customer {
  email: string
  password: string
  key: string
  assetId: string
  designId: string
}

interface Sample {
  kind: string
  at: number
  ms: number
}

/**
 * Compares memory and latencies at the end of a long run with those at its beginning, at 70 % of what the service serves
 * at most. Customers sign in, read, save, finalize, order and pay; the service has as many processes as by default.
 */
export async function benchSoak(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'))
  const service = await startServiceProcess({
    PLATEN_DATA_DIR: dataDir,
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_STORAGE_QUOTA_MIB: '0',
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_PROCESSES: process.env['BENCH_PROCESSES'] ?? '2',
  })
  try {
    const customers: Customer[] = []
    for (let count = 0; count < CUSTOMERS; count += 1) customers.push(await createCustomer(service))
    const visits = createVisits(service, customers)
    const most = await repeat(visits.next, { concurrency: LANES, seconds: CALIBRATION_SECONDS })
    visits.samples.length = 0
    const memory = sampleMemory(service)
    const begin = performance.now()
    await atRate({ perSecond: LOAD * most.perSecond, seconds: MINUTES * 60 }, visits.next)
    reportMemory(await memory.stop(), { begin, perSecond: LOAD * most.perSecond })
    reportLatencies(visits.samples, begin)
  } finally {
    await service.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function createCustomer({ origin }: ServiceProcess): Promise<Customer> {
  const base = `${origin}/v1`
  const [email, password] = [`soak-${randomUUID()}@example.com`, `a measured walk ${randomUUID()}`]
  const { accessToken: token } = await signUp(origin, email, password)
  const permissions = ['designs:write', 'designs:read', 'orders:write', 'orders:read', 'assets:write']
  const { body: created } = await call('POST', `${base}/api/api-keys`, { token, json: { name: 'soak', permissions } })
  const headers = { 'content-type': 'image/jpeg' }
  const { body: asset } = await call('POST', `${base}/assets`, { token, bytes: makePhoto(), headers })
  const designId = await createDesign(base, token, asset.id)
  return { email, password, key: created.key, assetId: asset.id, designId }
}

let designs = 0

/** Creates a design with texts of its own, so that no file of another design is used for it. */
async function createDesign(base: string, token: string, assetId: string): Promise<string> {
  designs += 1
  const { body: products } = await call('GET', `${base}/products?limit=100`)
  const product = products.data.find((one: { name: string }) => one.name === 'A6 postcard')
  const json = {
    productId: product.id,
    variantId: product.variants[0].id,
    document: withOtherTexts(postcardDocument(assetId) as DesignDocument, designs),
  }
  return (await call('POST', `${base}/designs`, { token, json })).body.id
}

/** Creates visits of the customers, one after another. Every fifth visit orders, and every tenth signs in. */
function createVisits({ origin }: ServiceProcess, customers: readonly Customer[]) {
  const base = `${origin}/v1`
  const samples: Sample[] = []
  let count = 0
  const timed = async <T>(kind: string, work: () => Promise<T>): Promise<T> => {
    const begin = performance.now()
    const result = await work()
    samples.push({ kind, at: begin, ms: performance.now() - begin })
    return result
  }
  const order = async ({ key: token, assetId }: Customer): Promise<void> => {
    const designId = await timed('create a design', () => createDesign(base, token, assetId))
    await timed('finalize', () => call('POST', `${base}/designs/${designId}/finalize`, { token }))
    const json = { items: [{ designId, quantity: 100 }], shippingMethod: 'standard', shippingAddress: SHIPPING_ADDRESS }
    const { body } = await timed('order', () => call('POST', `${base}/orders`, { token, json }))
    await timed('pay', () => call('POST', `${base}/orders/${body.id}/pay`, { token, json: { token: 'test_ok' } }))
  }
  const next = async (): Promise<void> => {
    count += 1
    const number = count
    const customer = customers[number % customers.length] as Customer
    const { key: token, designId, email, password } = customer
    await timed('read', () => call('GET', `${base}/designs?limit=20`, { token }))
    await timed('read', () => call('GET', `${base}/designs/${designId}`, { token }))
    await timed('read', () => call('GET', `${base}/orders?limit=20`, { token }))
    await timed('save', () =>
      call('PATCH', `${base}/designs/${designId}`, { token, json: { name: `Visit ${number}` } }),
    )
    if (number % 5 === 0) await order(customer)
    if (number % 10 === 1) await timed('sign in', () => signIn(origin, email, password))
  }
  return { next, samples }
}

/** Measures the memory of the service and its database until it is stopped. */
function sampleMemory({ child }: ServiceProcess) {
  const samples: { at: number; megabytes: number }[] = []
  const stopping = new AbortController()
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      samples.push({ at: performance.now(), megabytes: await proportionalMegabytesOfAll(child.pid ?? 0) })
      await delay(SAMPLE_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await sampling
      return samples
    },
  }
}

const PART_MS = (MINUTES * 60_000) / 3

/** Returns those of the middle third and those of the last third. The first third fills caches. */
function partsOf<T extends { at: number }>(samples: readonly T[], begin: number): [middle: T[], last: T[]] {
  const partOf = (part: number) =>
    samples.filter(({ at }) => at >= begin + part * PART_MS && at < begin + (part + 1) * PART_MS)
  return [partOf(1), partOf(2)]
}

function reportMemory(
  samples: readonly { at: number; megabytes: number }[],
  { begin, perSecond }: { begin: number; perSecond: number },
): void {
  const [middle, last] = partsOf(samples, begin).map(
    (part) => part.reduce((sum, { megabytes }) => sum + megabytes, 0) / part.length,
  ) as [number, number]
  const parts = {
    figure: `memory in the last of three parts of ${MINUTES} min`,
    unit: 'MB; the limit is the second part',
  }
  reportGrowth({ ...parts, value: last, limit: middle, visitsPerSecond: perSecond })
}

function reportLatencies(samples: readonly Sample[], begin: number): void {
  for (const [kind, all] of Map.groupBy(samples, (sample) => sample.kind)) {
    const [middle, last] = partsOf(all, begin).map((part) => part.map(({ ms }) => ms).sort((a, b) => a - b)) as [
      number[],
      number[],
    ]
    const parts = { figure: `${kind}, p99 in the last of three parts`, unit: 'ms; the limit is the second part' }
    const details = { requests: all.length, p50Ms: quantile(last, 0.5), limitP50Ms: quantile(middle, 0.5) }
    reportGrowth({ ...parts, value: quantile(last, 0.99), limit: quantile(middle, 0.99), ...details })
  }
}

function reportGrowth(figure: {
  figure: string
  unit: string
  value: number
  limit: number
  [detail: string]: unknown
}) {
  const ratio = figure.value / figure.limit
  report({ ...figure, ratio, aim: `at most ${MOST_GROWTH}`, reached: ratio <= MOST_GROWTH })
}
