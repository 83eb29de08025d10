import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { call, signIn, signUp } from '../../scripts/lib/client.ts'
import { addSampleOrders } from '../../scripts/lib/sample-orders.ts'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { addUpStatuses, countSettledQuarters, seedSampleSettings } from '../../src/orders/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { seedSampleCatalogue } from '../../src/products/index.ts'
import { get } from '../lib/get.ts'
import { median, quantile } from '../lib/load.ts'
import { report } from '../lib/report.ts'

const FEW = 1_000
const MANY = Number(process.env['BENCH_ORDERS'] ?? 1_000_000)

/** A folder that keeps the filled installations for the next run. Filling one with a million orders takes 15 minutes. */
const FOLDER = process.env['BENCH_FOLDER']

const ROUNDS = 5
const REQUESTS = 60

/**
 * How many records of each kind are read. Each of them is read once before the measurement, so that the disk does not
 * affect the figure.
 */
const SAMPLES = 100

/** An installation with many orders, and samples of its records. */
interface Shop {
  base: string
  /** The API key of a customer with at least a twentieth of the orders. */
  customer: string
  operator: string
  orderIds: string[]
  eventIds: string[]
  numbers: string[]
  productId: string
  /** A product of which some hundred orders are the oldest. */
  rareProductId: string
  /** The time between the oldest and the newest order. */
  middle: string
  close(): Promise<void>
}

interface Read {
  title: string
  who: 'customer' | 'operator'
  path: (shop: Shop, number: number) => string
  /** Whether the page of orders in the console reads this, which has an aim of its own. */
  isTable?: boolean
}

/** Reads of the table of orders and the statistics may take this long, at whatever number of orders. */
const TABLE_MS = 200
const TABLE_RATIO = 1.5

const ALL = 'awaiting_payment,confirmed,in_production,partially_shipped,shipped,delivered,on_hold,cancelled'

/** A shop without records, with which a query is shown in a report. */
const NOWHERE: Shop = {
  ...{ base: '', customer: '', operator: '', orderIds: [], eventIds: [], numbers: [] },
  ...{ productId: '{productId}', rareProductId: '{rareProductId}', middle: '{middle}' },
  close: async () => {},
}

/** What the table of orders and the page Today read, as the console does. */
const CONSOLE_READS: readonly ((shop: Shop, number: number) => string)[] = [
  () => '/orders?view=summary&limit=50',
  ({ orderIds }) => `/orders?view=summary&limit=50&cursor=${cursorOf(orderIds[orderIds.length >> 1] ?? '')}`,
  () => '/orders?view=summary&limit=50&sort=createdAt',
  () => '/production/orders?view=summary&limit=50&sort=dueAt',
  () => '/orders?view=summary&limit=50&status=awaiting_payment',
  () => '/orders?view=summary&limit=50&status=delivered&country=FR',
  () => '/orders?view=summary&limit=50&paymentStatus=partially_refunded',
  ({ productId }) => `/orders?view=summary&limit=50&productId=${productId}`,
  ({ rareProductId }) => `/orders?view=summary&limit=50&productId=${rareProductId}`,
  ({ middle }) => `/orders?view=summary&limit=50&createdTo=${middle}`,
  (_shop, n) => `/orders?view=summary&limit=50&q=RE-${(n * 7919) % 900}`,
  () => '/orders?view=summary&status=on_hold&sort=createdAt',
  () => '/orders?view=summary&late=true&sort=createdAt',
  () => '/orders?view=summary&personalization=failed',
]

/** Further filters and sort orders of the table. */
const TABLE_QUERIES: readonly ((shop: Shop, number: number) => string)[] = [
  () => `status=${ALL}`,
  () => `status=${ALL}&limit=100`,
  () => `status=${ALL}&sort=dueAt`,
  () => 'sort=dueAt&limit=100',
  () => 'late=true',
  () => 'late=true&sort=dueAt&limit=100',
  () => `status=${ALL}&paymentStatus=pending,failed`,
  () => `status=${ALL}&paymentStatus=partially_refunded`,
  () => 'status=delivered&paymentStatus=refunded',
  () => 'status=cancelled&paymentStatus=captured',
  () => 'status=confirmed,in_production&paymentStatus=captured',
  () => `status=${ALL}&country=FR&shippingMethod=express`,
  ({ productId }) => `status=${ALL}&productId=${productId}&country=NL`,
  ({ middle }) => `status=${ALL}&createdTo=${middle}&sort=-createdAt`,
  ({ middle }) => `status=cancelled,delivered&createdFrom=${middle}&sort=createdAt`,
  (_shop, n) => `q=RE-${(n * 7919) % 900}`,
  () => 'q=ada@example.com',
]

const any = (values: readonly string[], number: number): string => values[(number * 7919) % values.length] ?? ''
const cursorOf = (id: string): string => Buffer.from(id).toString('base64url')

const READS: readonly Read[] = [
  ...CONSOLE_READS.map((path) => ({
    title: `GET ${path(NOWHERE, 1)}`,
    who: 'operator' as const,
    path,
    isTable: true,
  })),
  ...TABLE_QUERIES.map((query, index) => ({
    title: `GET /production/orders, table query ${index + 1}`,
    who: 'operator' as const,
    path: (shop: Shop, n: number) => `/production/orders?view=summary&${query(shop, n)}`,
    isTable: true,
  })),
  ...[1, 7, 30, 90].map((days) => ({
    title: `GET /production/statistics?days=${days}`,
    who: 'operator' as const,
    path: () => `/production/statistics?days=${days}`,
    isTable: true,
  })),
  { title: 'GET /orders/{id}', who: 'customer', path: (shop, number) => `/orders/${any(shop.orderIds, number)}` },
  { title: 'GET /orders/{id}, operator', who: 'operator', path: (shop, n) => `/orders/${any(shop.orderIds, n)}` },
  { title: 'GET /orders', who: 'customer', path: () => '/orders' },
  {
    title: 'GET /orders, deep page',
    who: 'customer',
    path: ({ orderIds }) => `/orders?cursor=${cursorOf(orderIds[Math.floor(orderIds.length / 2)] ?? '')}`,
  },
  { title: 'GET /orders?status=delivered', who: 'customer', path: () => '/orders?status=delivered' },
  { title: 'GET /orders?status=cancelled', who: 'customer', path: () => '/orders?status=cancelled' },
  { title: 'GET /production/orders', who: 'operator', path: () => '/production/orders' },
  { title: 'GET /production/orders, oldest first', who: 'operator', path: () => '/production/orders?sort=createdAt' },
  {
    title: 'GET /production/orders?status=cancelled',
    who: 'operator',
    path: () => '/production/orders?status=cancelled',
  },
  {
    title: 'GET /production/orders?status=delivered&country=FR',
    who: 'operator',
    path: () => '/production/orders?status=delivered&country=FR',
  },
  {
    title: 'GET /production/orders?status=delivered&productId=',
    who: 'operator',
    path: ({ productId }) => `/production/orders?status=delivered&productId=${productId}`,
  },
  {
    title: 'GET /production/orders?q= a common name',
    who: 'operator',
    path: () => '/production/orders?q=steinmeier&limit=3',
  },
  {
    title: 'GET /production/orders?q= an order number',
    who: 'operator',
    path: (shop, n) => `/production/orders?q=${any(shop.numbers, n)}`,
  },
  { title: 'GET /events', who: 'operator', path: () => '/events' },
  { title: 'GET /events?after=', who: 'operator', path: (shop, n) => `/events?after=${any(shop.eventIds, n)}` },
  { title: 'GET /events?type=', who: 'operator', path: () => '/events?type=order.created' },
  { title: 'GET /events, customer', who: 'customer', path: () => '/events' },
]

/** Compares reads and lists in an installation with very many orders with those in a small one. The two alternate. */
export async function benchOrdersAtScale(): Promise<void> {
  const few = await openShop(FEW)
  try {
    const many = await openShop(MANY)
    try {
      for (const read of READS) await compare(read, few, many)
    } finally {
      await many.close()
    }
  } finally {
    await few.close()
  }
}

async function compare(asWritten: Read, few: Shop, many: Shop): Promise<void> {
  const read = asWritten.isTable === true ? await withEqualPages(asWritten, few, many) : asWritten
  for (const shop of [few, many]) await time(read, shop, SAMPLES)
  const rounds: { few: number[]; many: number[] }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ few: await time(read, few, REQUESTS), many: await time(read, many, REQUESTS) })
  }
  const medianOf = (shop: 'few' | 'many', share: number) => median(rounds.map((round) => quantile(round[shop], share)))
  if (read.isTable === true) return reportTable(read, rounds)
  const ratio = median(rounds.map((round) => quantile(round.many, 0.99) / quantile(round.few, 0.99)))
  report({
    figure: `${read.title} with ${MANY} orders, p99`,
    value: medianOf('many', 0.99),
    limit: medianOf('few', 0.99),
    unit: `ms; the limit is measured with ${FEW} orders`,
    ratio,
    aim: 'at most 1.3',
    reached: ratio <= 1.3,
    p50Ms: medianOf('many', 0.5),
    limitP50Ms: medianOf('few', 0.5),
  })
}

/** A filter that few orders pass fills a page only in the large shop. Both read as many orders as the small one has. */
async function withEqualPages(read: Read, few: Shop, many: Shop): Promise<Read> {
  const ordersOf = async (shop: Shop): Promise<number> => {
    const page = JSON.parse(await get(`${shop.base}${read.path(shop, 1)}`, shop[read.who]))
    return page.data?.length ?? 0
  }
  const limit = Math.min(await ordersOf(few), await ordersOf(many))
  if (limit === 0) return read
  return { ...read, path: (shop, n) => `${read.path(shop, n).replace(/&limit=\d+/, '')}&limit=${limit}` }
}

function reportTable({ title, path }: Read, rounds: readonly { few: number[]; many: number[] }[]): void {
  const p50 = (shop: 'few' | 'many') => median(rounds.map((round) => quantile(round[shop], 0.5)))
  const p95 = (shop: 'few' | 'many') => median(rounds.map((round) => quantile(round[shop], 0.95)))
  const ratio = median(rounds.map((round) => quantile(round.many, 0.95) / quantile(round.few, 0.95)))
  report({
    figure: `${title} with ${MANY} orders, p95`,
    value: p95('many'),
    limit: p95('few'),
    unit: `ms; the limit is measured with ${FEW} orders`,
    ratio,
    aim: `at most ${TABLE_RATIO}, and under ${TABLE_MS} ms`,
    reached: ratio <= TABLE_RATIO && p95('many') < TABLE_MS,
    p50Ms: p50('many'),
    limitP50Ms: p50('few'),
    path: path(NOWHERE, 1),
  })
}

let asked = 0

/** Measures requests that run one after another. Returns their durations in milliseconds, sorted. */
async function time({ who, path }: Read, shop: Shop, requests: number): Promise<number[]> {
  const latencies: number[] = []
  for (let sent = 0; sent < requests; sent += 1) {
    asked += 1
    const begin = performance.now()
    await get(`${shop.base}${path(shop, asked)}`, shop[who])
    latencies.push(performance.now() - begin)
  }
  return latencies.sort((a, b) => a - b)
}

const SPREAD_ORDERS = `
  select min(id) as id from (select id, ntile($2) over (order by id) as part from orders where owner_id = $1) as own
  group by part order by 1`

const SPREAD_EVENTS = `
  select min(id) as id from (select id, ntile($1) over (order by transaction_id, position) as part from events) as told
  group by part`

/** Starts a separate installation and fills it with sample orders, unless `FOLDER` contains one. */
async function openShop(orders: number): Promise<Shop> {
  const dataDir = FOLDER === undefined ? await mkdtemp(join(tmpdir(), 'platen-bench-')) : join(FOLDER, `${orders}`)
  await mkdir(dataDir, { recursive: true })
  const filled = join(dataDir, 'filled.json')
  const log = createLog({ level: 'warn' })
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  const { connectionString } = postgres
  const service = await startServiceProcess({
    PLATEN_DATA_DIR: dataDir,
    PLATEN_DATABASE_URL: connectionString,
    PLATEN_RATE_LIMITS: 'off',
    // Otherwise the service would write mails about the sample orders while it is measured.
    PLATEN_ORDER_MAILS: 'off',
  })
  const close = async () => {
    await service.stop()
    await postgres.stop()
    if (FOLDER === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const kept = await readFile(filled, 'utf8').catch(() => undefined)
    const content: Filled =
      kept === undefined ? await fillShop(service.origin, connectionString, orders) : JSON.parse(kept)
    await writeFile(filled, JSON.stringify(content))
    return { ...content, base: `${service.origin}/v1`, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Filled = Omit<Shop, 'base' | 'close'>

async function fillShop(origin: string, connectionString: string, orders: number): Promise<Filled> {
  // Building an index of a million rows takes longer than the timeout for statements of requests.
  const settings = { connectionString, max: 2, statement_timeout: 0 }
  const { db, pool, close } = openDatabase(settings, createLog({ level: 'warn' }))
  try {
    await seedSampleCatalogue(db, new Date())
    await seedSampleSettings(db, new Date())
    const customer = await makeAccount(origin)
    const operator = await makeAccount(origin)
    await db.updateTable('users').set({ role: 'operator' }).where('id', '=', operator.id).execute()
    // Updating this index for each row would double the time of seeding, so it is dropped and built at the end.
    const { rows } = await pool.query("select indexdef from pg_indexes where indexname = 'orders_search'")
    await pool.query('drop index orders_search')
    await addSampleOrders(pool, { orders, seed: 1, until: new Date(), customerId: customer.id })
    await pool.query(rows[0].indexdef)
    await pool.query('analyze orders')
    await countSettledQuarters({ db, clock: systemClock })
    await db.transaction().execute((trx) => addUpStatuses(trx))
    const spread = async (text: string, values: unknown[]) =>
      (await pool.query<{ id: string }>(text, values)).rows.map(({ id }) => id)
    return {
      customer: await customer.key(),
      operator: await operator.key(),
      orderIds: await spread(SPREAD_ORDERS, [customer.id, SAMPLES]),
      eventIds: await spread(SPREAD_EVENTS, [SAMPLES]),
      numbers: await spread('select number as id from orders order by number limit $1', [SAMPLES]),
      middle: new Date(Date.now() - 365 * 86_400_000).toISOString(),
      productId: (await spread("select id from products where name = 'Mug'", []))[0] ?? '',
      rareProductId: await addRareProduct(pool),
    }
  } finally {
    await close()
  }
}

/** Creates a product that was only ordered in the oldest 300 orders, and returns its id. */
async function addRareProduct(pool: Pick<pg.Pool, 'query'>): Promise<string> {
  const [id, variantId] = ['prd_01kaaaaaaaaaaaaaaaaaaaaaaa', 'var_01kaaaaaaaaaaaaaaaaaaaaaaa']
  await pool.query(
    `insert into products (id, name, description, status, currency, print_areas, options, variants, created_at, updated_at)
     select $1, 'Rare mug', description, status, currency, print_areas, options,
       jsonb_build_array(jsonb_set(variants::jsonb -> 0, '{id}', to_jsonb($2::text))), created_at, updated_at
     from products where name = 'Mug'`,
    [id, variantId],
  )
  await pool.query(
    'update order_items set variant_id = $1 where order_id in (select id from orders order by id limit 300)',
    [variantId],
  )
  return id
}

/**
 * Creates an account.
 * @returns `key` creates an API key with the permissions that the account has when `key` is called
 */
async function makeAccount(origin: string): Promise<{ id: string; key(): Promise<string> }> {
  const email = `${randomUUID()}@example.com`
  const password = `many orders ${randomUUID()}`
  const { accessToken } = await signUp(origin, email, password)
  const { body: me } = await call('GET', `${origin}/v1/me`, { token: accessToken })
  return {
    id: me.id,
    key: async () => {
      // Seeding takes longer than the lifetime of an access token, so the account signs in again.
      const { accessToken: token } = await signIn(origin, email, password)
      const json = { name: 'bench', permissions: ['read'] }
      return (await call('POST', `${origin}/v1/api/api-keys`, { token, json })).body.key
    },
  }
}
