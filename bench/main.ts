/**
 * Measures the service. Each figure is one line of JSON. It contains the limit with which the figure is compared: a
 * requirement, or a reference that is measured in the same run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Argument } from 'commander'
import pg from 'pg'
import { developerCommand } from '../scripts/lib/developer-command.ts'
import { startServiceProcess } from '../scripts/lib/service-process.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/index.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { benchEditor } from './browser/editor.ts'
import { benchJourney } from './browser/journey.ts'
import { benchSse } from './events/sse.ts'
import { benchWebhooks } from './events/webhooks.ts'
import { seed } from './lib/seed.ts'
import { prepare } from './lib/subject.ts'
import { benchOrder } from './orders/order.ts'
import { benchOrderRead } from './orders/order-read.ts'
import { benchOrdersAtScale } from './orders/orders-at-scale.ts'
import { benchRead } from './reads/read.ts'
import { benchReaders } from './reads/readers.ts'
import { benchBusy } from './rendering/busy.ts'
import { benchChromium } from './rendering/chromium.ts'
import { benchFinalize } from './rendering/finalize.ts'
import { benchMerge } from './rendering/merge.ts'
import { benchPoster } from './rendering/poster.ts'
import { benchPreflight } from './rendering/preflight.ts'
import { benchNodes } from './scaling/nodes.ts'
import { benchProcesses } from './scaling/processes.ts'
import { benchLogin } from './sign-in/login.ts'
import { benchRefresh } from './sign-in/refresh.ts'
import { benchSessions } from './sign-in/sessions.ts'
import { benchStorm } from './sign-in/storm.ts'
import { benchToken } from './sign-in/token.ts'
import { benchCrash } from './stability/crash.ts'
import { benchNeighbours } from './stability/neighbours.ts'
import { benchSoak } from './stability/soak.ts'
import { benchStall } from './stability/stall.ts'
import { benchStart } from './stability/start.ts'

/** Longer than the mails about the orders of one figure take. */
const MOST_WAIT_MS = 60_000

/** Waits until the service has done the work that a figure left, such as mails, which would count in the next figure. */
async function untilIdle(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const endAt = Date.now() + MOST_WAIT_MS
  const isBusy = async (): Promise<boolean> => {
    const { rows } = await client.query(
      'select exists (select from graphile_worker.jobs where attempts < max_attempts and run_at <= now()) as busy',
    )
    return rows[0].busy
  }
  while ((await isBusy()) && Date.now() < endAt) await delay(500)
  await client.end()
}

const FIGURES = {
  read: benchRead,
  finalize: benchFinalize,
  chromium: benchChromium,
  poster: benchPoster,
  busy: benchBusy,
  order: benchOrder,
  'order-read': benchOrderRead,
  login: benchLogin,
  refresh: benchRefresh,
  token: benchToken,
  sessions: benchSessions,
  storm: benchStorm,
  sse: benchSse,
  stall: benchStall,
  processes: benchProcesses,
  readers: benchReaders,
  webhooks: benchWebhooks,
  editor: benchEditor,
  journey: benchJourney,
}

/** Benchmarks that start what they need themselves. Those in ON_REQUEST take minutes. */
const STANDALONE = { start: benchStart, preflight: benchPreflight, merge: benchMerge }
const ON_REQUEST = {
  crash: benchCrash,
  nodes: benchNodes,
  'orders-at-scale': benchOrdersAtScale,
  neighbours: benchNeighbours,
  soak: benchSoak,
}

const wanted = developerCommand(
  'npm run bench --',
  'Measure the service, and compare each figure with a requirement or a reference.',
)
  .addArgument(
    new Argument('[figure...]', `figures to measure (default: all but ${Object.keys(ON_REQUEST).join(', ')})`).choices(
      Object.keys({ ...STANDALONE, ...FIGURES, ...ON_REQUEST }),
    ),
  )
  .parse().args
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

for (const [name, bench] of Object.entries(STANDALONE)) if (isWanted(name)) await bench()
for (const [name, bench] of Object.entries(ON_REQUEST)) if (wanted.includes(name)) await bench()
if (!Object.keys(FIGURES).some(isWanted)) process.exit()

const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'))
// The database has durable settings, as in production. The references are measured on the same database.
const postgres = await startEmbeddedPostgres({ dataDir, log: createLog({ level: 'warn' }) })
const service = await startServiceProcess({
  PLATEN_DATA_DIR: dataDir,
  PLATEN_DATABASE_URL: postgres.connectionString,
  PLATEN_RATE_LIMITS: 'off',
  PLATEN_PAYMENT_PROVIDER: 'test',
  PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
})
try {
  await seed(postgres.connectionString)
  const subject = await prepare(service, postgres.connectionString, dataDir)
  for (const [name, bench] of Object.entries(FIGURES)) {
    if (!isWanted(name)) continue
    await bench(subject)
    await untilIdle(postgres.connectionString)
  }
} finally {
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
