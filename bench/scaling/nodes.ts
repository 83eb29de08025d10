import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../../scripts/lib/client.ts'
import { freePort, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { notify } from '../../src/auth/revocation/revocation-cache.ts'
import { seedSampleSettings } from '../../src/orders/index.ts'
import { type Db, openDatabase } from '../../src/platform/db/index.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { seedSampleCatalogue } from '../../src/products/index.ts'
import { startScript } from '../lib/child.ts'
import { atRate, now } from '../lib/events.ts'
import { quantile } from '../lib/load.ts'
import { post } from '../lib/post.ts'
import { processorMs, proportionalMegabytesOfAll } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import { prepare, type Subject } from '../lib/subject.ts'
import { SHIPPING_ADDRESS } from '../orders/basket.ts'
import { finalizedPostcards } from '../orders/finalized.ts'
import { type DatabaseLoad, measureDatabase } from './database-load.ts'
import { createFleet, type Fleet, topicOf } from './fleet.ts'

const NODES = 100
const FEW_NODES = 10
/** Longer than a node keeps unused connections, which its start needed. */
const SETTLE_MS = 70_000
/** One minute, so that each measurement has as many cron jobs. */
const SECONDS = 60
const ORDERS_PER_SECOND = 20
const NOTICES_PER_SECOND = 2
const MOST_CONNECTIONS = 4_000
const STATEMENTS_SHOWN = 12

/** What runs beside the idle nodes. */
interface Activity {
  name: string
  nodes: number
  orders: boolean
}

interface Setting {
  nextNotice: number
  db: Db
  fleet: Fleet
  subject: Subject
  designIds: readonly string[]
}

/**
 * Measures what nodes at rest cost their database, and how that grows with their number: connections, statements,
 * processor time and the time until they are notified. Then customers order on one further node, while each of the others
 * sends an event stream and looks for webhooks.
 */
export async function benchNodes(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-nodes-'))
  const log = createLog({ level: 'warn' })
  const postgres = await startEmbeddedPostgres({ dataDir, poolSize: MOST_CONNECTIONS, log })
  const { connectionString } = postgres
  const env = {
    PLATEN_DATA_DIR: dataDir,
    PLATEN_SECRET_KEY: randomBytes(32).toString('base64'),
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  }
  const service = await startServiceProcess({ ...env, PLATEN_DATABASE_URL: connectionString })
  const database = openDatabase({ connectionString, max: 2, application_name: 'bench' }, log)
  const fleet = createFleet(connectionString, { ...env, PLATEN_PUBLIC_URL: service.origin })
  try {
    await seedSampleCatalogue(database.db, new Date())
    await seedSampleSettings(database.db, new Date())
    const subject = await prepare(service, connectionString, dataDir)
    const designIds = await finalizedPostcards(subject, 5)
    await measureAll({ nextNotice: 0, db: database.db, fleet, subject, designIds })
  } finally {
    await fleet.close()
    await service.stop()
    await database.close()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measureAll(setting: Setting): Promise<void> {
  const { fleet, subject } = setting
  await fleet.growTo(FEW_NODES)
  await delay(SETTLE_MS)
  const few = await measure(setting, { name: 'at rest', nodes: FEW_NODES, orders: false })
  await fleet.growTo(NODES)
  await delay(SETTLE_MS)
  await measure(setting, { name: 'at rest', nodes: NODES, orders: false }, few.cores / FEW_NODES)
  const port = await freePort()
  const receiver = await startScript(join(import.meta.dirname, '../events/bare-receiver.ts'), [String(port)])
  try {
    const json = { url: `http://127.0.0.1:${port}/` }
    await call('POST', `${subject.base}/webhook-endpoints`, { token: subject.token, json })
    await fleet.follow(subject.token)
    await delay(SETTLE_MS)
    await measure(setting, { name: 'with a webhook endpoint and a stream each', nodes: NODES, orders: false })
    await measure(setting, { name: `and ${ORDERS_PER_SECOND} orders per second`, nodes: NODES, orders: true })
  } finally {
    await receiver.stop()
  }
}

/** Measures and reports. @param limit cores for each node */
async function measure(setting: Setting, activity: Activity, limit?: number): Promise<DatabaseLoad> {
  const { db, fleet, subject } = setting
  await fleet.collect()
  const nodesBefore = await processorOf(fleet)
  const [load, notices, orders] = await Promise.all([
    measureDatabase(db, subject.postgresPid, SECONDS),
    sendNotices(setting),
    activity.orders ? order(setting) : [],
  ])
  const coresOfNodes = ((await processorOf(fleet)) - nodesBefore) / (SECONDS * 1000)
  await delay(2_000)
  const collected = await fleet.collect()
  const { connections, ...figures } = load
  const held = Object.values(connections).reduce((sum, count) => sum + count, 0)
  // Without a limit, the figure is a base for others.
  const most = limit === undefined ? load.cores : limit * activity.nodes
  report({
    figure: `processor time of PostgreSQL with ${activity.nodes} nodes ${activity.name}`,
    value: load.cores,
    limit: most,
    unit: 'cores',
    ratio: load.cores / most,
    aim: limit === undefined ? 'none: a base for others' : 'at most 1.2: no more for each node than with few nodes',
    reached: load.cores <= most * 1.2,
    ...figures,
    transactionsPerNode: load.transactionsPerSecond / activity.nodes,
    held,
    connections,
    megabytes: await proportionalMegabytesOfAll(subject.postgresPid),
    coresOfNodes,
    notices: arrivals(notices, collected.notices),
    ...(activity.orders ? { orders: orders.length, events: arrivals(orders, collected.events) } : {}),
  })
  for (const [statement, count] of collected.statements.sort(([, a], [, b]) => b - a).slice(0, STATEMENTS_SHOWN)) {
    console.log(JSON.stringify({ statement, perSecond: Number((count / SECONDS).toPrecision(3)) }))
  }
  return load
}

async function processorOf(fleet: Fleet): Promise<number> {
  const all = await Promise.all(fleet.pids().map(processorMs))
  return all.reduce((sum, one) => sum + one, 0)
}

/** Sends notices to all nodes. Returns their numbers with the times of the commits. */
async function sendNotices(setting: Setting): Promise<[number: number, committedAt: number][]> {
  const notices: [number, number][] = []
  await atRate({ perSecond: NOTICES_PER_SECOND, seconds: SECONDS }, async () => {
    const number = setting.nextNotice
    setting.nextNotice += 1
    await setting.db.transaction().execute((trx) => notify(trx, topicOf(number)))
    notices.push([number, now()])
  })
  return notices
}

/** Creates orders at a fixed rate. Returns their ids with the times of the responses. */
async function order({ subject, designIds }: Setting): Promise<[id: string, respondedAt: number][]> {
  const headers = { authorization: `Bearer ${subject.token}` }
  const orders: [string, number][] = []
  await atRate({ perSecond: ORDERS_PER_SECOND, seconds: SECONDS }, async (number) => {
    const items = [{ designId: designIds[number % designIds.length], quantity: 100 }]
    const body = { items, shippingAddress: SHIPPING_ADDRESS }
    // On a busy machine, the service refuses some.
    const order = await post<{ id: string }>(`${subject.base}/orders`, body, headers).catch(() => undefined)
    if (order !== undefined) orders.push([order.id, now()])
  })
  return orders
}

/** Returns how long after their commit nodes received something, in milliseconds, and how often one did not. */
function arrivals<Key>(sent: readonly [Key, number][], received: readonly [Key, number][][]) {
  const latencies = received.flatMap((arrived) => {
    const times = new Map(arrived)
    return sent.map(([key, sentAt]) => (times.get(key) ?? Number.NaN) - sentAt)
  })
  const sorted = latencies.filter((ms) => !Number.isNaN(ms)).sort((a, b) => a - b)
  const rounded = (share: number): number => Number(quantile(sorted, share).toPrecision(3))
  return {
    p50Ms: rounded(0.5),
    p99Ms: rounded(0.99),
    mostMs: rounded(1),
    missed: latencies.length - sorted.length,
  }
}
