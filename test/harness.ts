import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createService, type Service, type ServiceOptions } from '../src/app.ts'
import { createPasswordHasher } from '../src/auth/passwords/hasher.ts'
import { budgetsOf } from '../src/commands/processes/connections.ts'
import { type Config, readConfig } from '../src/config/index.ts'
import { seedSampleSettings } from '../src/orders/index.ts'
import { createShiftableClock, type ShiftableClock } from '../src/platform/clock.ts'
import { type Db, openDatabase, type PoolSettings, withoutPooler } from '../src/platform/db/index.ts'
import { migrate } from '../src/platform/db/migrations/migrate.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/testing/temporary.ts'
import { createLog, type Log } from '../src/platform/telemetry/log.ts'
import { type Checker, createChecker, createRenderer, type Renderer } from '../src/rendering/index.ts'
import { requireDocumentedProblem } from './lib/documented-problems.ts'
import { PATIENCE_MS, until } from './lib/until.ts'
import { CHEAP_HASHING, type NewPerson, register, type SignedUp, signUp } from './people.ts'

const TEMPLATE = 'platen_template'

/** An arbitrary advisory lock, so that only one of several test processes creates the template database. */
const TEMPLATE_LOCK = 4_711_207

/** The timeout is long because tests hold locks while requests wait for them, on computers with other load. */
const LOCK_TIMEOUT_MS = 30_000

/**
 * The settings of the database server, available when the template database exists. The first test that needs a
 * database prepares both.
 */
let server: Promise<pg.PoolConfig> | undefined

const quiet = createLog({ level: 'silent' })

/**
 * Connects to the server that `npm test` starts for all test files, or starts one if a single test file runs. Creates
 * the template database if it does not exist.
 */
async function prepareServer(): Promise<pg.PoolConfig> {
  const shared = process.env['PLATEN_TEST_DATABASE_URL']
  const config: pg.PoolConfig =
    shared === undefined ? (await startTemporaryPostgres()).poolConfig : parseConnectionString(shared)
  const client = new pg.Client(config)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE])
    if (rowCount === 0) await makeTemplate(client, config)
  } finally {
    await client.end()
  }
  return config
}

/** Creates the template database. It gets its final name last, so that a database with this name is always complete. */
async function makeTemplate(client: pg.Client, config: pg.PoolConfig): Promise<void> {
  await client.query(`drop database if exists ${TEMPLATE}_new`)
  await client.query(`create database ${TEMPLATE}_new`)
  const template = { ...config, database: `${TEMPLATE}_new` }
  await migrate(template, quiet)
  const { db, close } = openDatabase(template, quiet)
  await seedSampleSettings(db, new Date())
  await close()
  await client.query(`alter database ${TEMPLATE}_new rename to ${TEMPLATE}`)
}

function parseConnectionString(text: string): pg.PoolConfig {
  const { host, port, user, database } = new pg.Client(text)
  return { host, port, ...(user === undefined ? {} : { user }), database: database ?? 'postgres' }
}

/** The connection of this process that creates and drops databases. */
let admin: pg.Pool | undefined

after(() => admin?.end())

async function run(config: pg.PoolConfig, statement: string): Promise<void> {
  if (admin === undefined) {
    admin = new pg.Pool({ ...config, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // The pool replaces a lost connection. Without a listener, the error would end the process.
    admin.on('error', () => undefined)
  }
  await admin.query(statement)
}

/** Creates a migrated database for one test. The database is dropped when the test ends. */
export async function createDatabase(t: TestContext, template = TEMPLATE): Promise<pg.PoolConfig> {
  server ??= prepareServer()
  const config = await server
  const database = `test_${randomUUID().replaceAll('-', '')}`
  // With fsync=off, copying the files takes half of the processor time of writing them to the log.
  await run(config, `create database ${database} template ${template} strategy file_copy`)
  t.after(() => dropDatabase(config, database))
  return { ...config, database }
}

/** Creates a database without tables for one test. */
export function createEmptyDatabase(t: TestContext): Promise<pg.PoolConfig> {
  return createDatabase(t, 'template0')
}

/**
 * Drops a database. Retries while autovacuum or closing connections, which cannot be terminated, still use the
 * database.
 */
async function dropDatabase(config: pg.PoolConfig, database: string): Promise<void> {
  for (let triesLeft = 200; ; triesLeft -= 1) {
    try {
      await run(config, `drop database ${database} with (force)`)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '42501' || triesLeft === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

export interface TestResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
  text: string
}

export interface RequestOptions {
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface TestService extends Service {
  config: Config
  /** Scheme, host and port, without a trailing slash. */
  origin: string
  baseUrl: string
  clock: ShiftableClock
  /** A connection pool of the test, in addition to that of the service. Tests use it to read rows and to hold locks. */
  db: Db
  logLines(): string
  /** Sends a request. A path that starts with `/` is relative to `/v1`. A URL is used unchanged. */
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  /** Inserts an account with a verified email address, and signs in through the API. */
  signUp(options?: NewPerson): Promise<SignedUp>
  /** Registers an account through the API, verifies it with the mail, and signs in. */
  register(options?: NewPerson): Promise<SignedUp>
  /** Waits until at least `count` connections wait for a lock. */
  untilBlocked(count?: number): Promise<void>
}

export interface StartOptions {
  env?: Record<string, string>
  /** The database and data folder of an earlier service. By default, both are new. */
  database?: PoolSettings
  dataDir?: string
  clock?: ShiftableClock
  /** Whether password hashing has its real cost. By default it costs almost nothing. */
  hashesAtRealCost?: boolean
  overrides?: Partial<ServiceOptions>
}

/**
 * Starts the whole service on the loopback interface with a database of its own. The service stops when the test ends.
 */
export async function startService(t: TestContext, options: StartOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await temporaryDir(t))
  const poolConfig: PoolSettings = options.database ?? (await createDatabase(t))
  const clock = options.clock ?? createShiftableClock()
  const lines: string[] = []
  const log = collectingLog(lines)
  const env = {
    PLATEN_DATA_DIR: dataDir,
    PLATEN_PORT: '0',
    PLATEN_PUBLIC_URL: 'http://platen.localhost',
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_PAYMENT_PROVIDER: 'test',
    // The pool is large enough for concurrent requests of one account, which may use a quarter of the connections for
    // writes.
    PLATEN_DATABASE_POOL: '28',
    // With this setting, tests also run on a computer whose disk is nearly full.
    PLATEN_STORAGE_FREE_MIB: '0',
    // Its statements would mix with those that tests count and hold up. Its own tests turn it on.
    PLATEN_REQUEST_LOG: 'off',
    ...options.env,
  }
  const config = readConfig(env)
  // A pooler rejects settings of sessions.
  const timeout = poolConfig.direct === undefined ? { lock_timeout: LOCK_TIMEOUT_MS } : {}
  const budgets = budgetsOf(config)
  const database = openDatabase({ ...poolConfig, max: config.databasePool, budgets, ...timeout }, quiet)
  const service = await createService({
    config,
    log,
    clock,
    database,
    drainMs: 20,
    renderer: { ...sharedRenderer() },
    checker: { ...sharedChecker() },
    onResponseMismatch: (mismatch) => {
      throw new Error(`the response does not match its schema: ${JSON.stringify(mismatch)}`)
    },
    ...options.overrides,
  })
  if (options.hashesAtRealCost !== true) service.services.auth.services.hasher = createPasswordHasher(CHEAP_HASHING)
  const beside = openDatabase({ ...withoutPooler(poolConfig), max: 4 }, quiet)
  const origin = await service.listen()
  t.after(async () => {
    await service.close()
    await database.close()
    await beside.close()
  })
  const request = requester(origin)
  const own = { request, db: beside.db, clock, origin, services: service.services }
  return {
    ...service,
    config,
    origin,
    baseUrl: `${origin}/v1`,
    clock,
    db: beside.db,
    logLines: () => lines.join(''),
    request,
    signUp: (who) => signUp(own, who),
    register: (who) => register(own, who),
    untilBlocked: (count) => untilBlocked(beside.db, count),
  }
}

let renderer: Renderer | undefined

/**
 * The options of the renderer and the checker that all tests of this process share, because their processes take a
 * second to start. Tests of queues, of several processes and of time limits create their own.
 */
const SHARED = { log: quiet, processes: 1, timeoutMs: PATIENCE_MS }

export function sharedRenderer(): Renderer {
  renderer ??= createRenderer(SHARED)
  return renderer
}

let checker: Checker | undefined

export function sharedChecker(): Checker {
  checker ??= createChecker(SHARED)
  return checker
}

export async function temporaryDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-data-'))
  // The storage has hundreds of folders, which the synchronous call removes with a third of the processor time.
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  return dir
}

function collectingLog(lines: string[]): Log {
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  return createLog({ level: 'debug', destination })
}

export function requester(origin: string): TestService['request'] {
  return async (method, path, { token, body, headers = {} } = {}) => {
    const isJson =
      body !== undefined && !(body instanceof Uint8Array) && !(body instanceof FormData) && typeof body !== 'string'
    const response = await fetch(path.startsWith('/') ? `${origin}/v1${path}` : path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isJson ? JSON.stringify(body) : (body as string | FormData | Uint8Array<ArrayBuffer>) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    const text = bytes.toString('utf8')
    const answer = type.includes('json') && text !== '' ? JSON.parse(text) : bytes
    const { status, url } = response
    requireDocumentedProblem({ method, url, status, body: answer })
    return { status, headers: response.headers, text, body: answer }
  }
}

/**
 * Waits until readers of events see all events that have been written. Readers see no event that is newer than the
 * oldest open transaction on the server. This transaction may belong to another test.
 */
export async function untilEventsVisible(db: Db): Promise<void> {
  await until('older transactions to end', async () => {
    const { rows } = await sql<{ visible: boolean }>`
      select coalesce(max(transaction_id) < events_readable_before(), true) as visible from events`.execute(db)
    return rows[0]?.visible === true
  })
}

export async function untilBlocked(db: Db, count = 1): Promise<void> {
  await until(`${count} connections that wait for a lock`, async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return (rows[0]?.waiting ?? 0) >= count
  })
}
