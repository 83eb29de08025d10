import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { assetAccountData, assetRoutes } from './assets/index.ts'
import { accountRoutes, authApiRoutes, createAuth, mailPageRoutes, requireRole, wellKnownRoutes } from './auth/index.ts'
import { colorProfileRoutes } from './color-profiles/index.ts'
import type { Config } from './config/index.ts'
import { designAccountData, designRoutes } from './designs/index.ts'
import { createEventStreams, eventAccountData, eventRoutes } from './events/index.ts'
import { fontAccountData, fontRoutes } from './fonts/index.ts'
import {
  countFailedItemFiles,
  createShopCharges,
  listOrderedDesigns,
  openPayments,
  orderAccountData,
  orderRoutes,
  quoteAccountData,
  simulatorRoutes,
} from './orders/index.ts'
import type { Parts } from './parts.ts'
import type { Clock } from './platform/clock.ts'
import type { DatabasePool } from './platform/db/index.ts'
import { createProbe } from './platform/db/probe.ts'
import { closeWithin } from './platform/http/drain.ts'
import { publicRoute } from './platform/http/guard.ts'
import { addOpenApi, addOpenApiRoute } from './platform/http/openapi.ts'
import { addHealthRoutes, addMetricsRoute, addOutboxRoute } from './platform/http/operations.ts'
import { addProblemPages } from './platform/http/problem-pages.ts'
import { type App, createHttpApp, type HttpOptions } from './platform/http/server.ts'
import type { ResponseCheck } from './platform/http/validation.ts'
import type { JobRunner } from './platform/jobs.ts'
import type { Log } from './platform/log.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createEventFeed, keepOrderOfEvents } from './platform/outbox/index.ts'
import { clusterFolder, hasEmbeddedPostgres } from './platform/postgres/index.ts'
import {
  collectionJobs,
  createFreeDisk,
  createStorage,
  createStorageQuota,
  type FileSystemState,
  quotaJobs,
  storageAccountData,
} from './platform/storage/index.ts'
import { VERSION } from './platform/version.ts'
import { productRoutes } from './products/index.ts'
import {
  type Checker,
  createChecker,
  createRenderer,
  inspectWith,
  installedFamilies,
  type Renderer,
} from './rendering/index.ts'
import { openObjectStore, STORAGE_CHARGES, STORAGE_REFERENCES } from './storage.ts'
import { createWebhookDeps, startWebhooks, webhookAccountData, webhookRoutes } from './webhooks/index.ts'
import { startJobs } from './worker.ts'

export interface ServiceOptions {
  config: Config
  log: Log
  clock: Clock
  database: DatabasePool
  /** For tests: how long idle connections may delay the shutdown. */
  drainMs?: number
  /** For tests: a shared renderer, which the caller closes. */
  renderer?: Renderer
  /** For tests: a shared checker, which the caller closes. */
  checker?: Checker
  /** For tests: replaces the state of the file system of a folder. */
  readFileSystem?: (folder: string) => Promise<FileSystemState>
  /** For tests: called if a response does not match its documented schema. */
  onResponseMismatch?: ResponseCheck
}

export interface Service {
  app: App
  parts: Parts
  /** Starts to serve requests. Returns the URL it listens on. */
  listen(): Promise<string>
  /** Starts jobs and webhook deliveries in this process. Further calls do nothing. */
  startJobs(): void
  /** Finishes requests and jobs in progress, then stops. The caller closes the database. */
  close(options?: CloseOptions): Promise<void>
}

/** Durations in milliseconds. */
export interface CloseOptions {
  /** How long the service serves requests, with readiness at 503, before it stops listening. Default: 0. */
  delayMs?: number
  /** How long requests, streams and jobs may take to end after that, before they are cut off. Default: 20 s. */
  withinMs?: number
}

const CLOSE_MS = 20_000

/** Composes the service: every feature is a function that is given its dependencies. */
export async function createService(options: ServiceOptions): Promise<Service> {
  for (const warning of options.config.warnings) options.log.warn({}, warning)
  const metrics = createMetrics()
  const parts = await createParts(options, metrics)
  let hasBegunToLeave = false
  const isLeaving = (): boolean => hasBegunToLeave
  const { config, auth, renderer, checker } = parts
  const httpOptions: HttpOptions = {
    log: options.log,
    metrics,
    trustedProxies: config.trustedProxies,
    httpsOnly: config.production,
    pageOrigins: config.pageOrigins,
    rateLimits: config.rateLimits,
    flow: config.flow,
    requireFreeDisk: parts.storage.requireFree,
    documentationBase: `${config.origin}/problems`,
    authenticate: auth.authenticate,
    isLeaving,
    ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
    ...(options.onResponseMismatch === undefined ? {} : { onResponseMismatch: options.onResponseMismatch }),
  }
  const app = createHttpApp(httpOptions)
  await addRoutes(app, parts, isLeaving)
  addMetricsRoute(app, metrics, requireRole('operator'))
  await app.ready()
  const metricsApp =
    config.metricsPort === undefined ? undefined : createHttpApp({ ...httpOptions, httpsOnly: false, flow: undefined })
  if (metricsApp !== undefined) addMetricsRoute(metricsApp, metrics, publicRoute)
  let jobs: JobRunner | undefined

  return {
    app,
    parts,
    listen: async () => {
      if (metricsApp !== undefined) await metricsApp.listen({ host: config.host, port: config.metricsPort ?? 0 })
      await app.listen({ host: config.host, port: config.port })
      const { address, port } = app.server.address() as AddressInfo
      return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
    },
    startJobs: () => {
      jobs ??= startJobs(parts)
      if (parts.webhooks.engine === undefined) startWebhooks(parts.webhooks)
    },
    close: async ({ delayMs = 0, withinMs = CLOSE_MS } = {}) => {
      hasBegunToLeave = true
      // Before the delay, so that another process takes the jobs that this one no longer starts.
      const jobsStopped = Promise.all([jobs?.stop(delayMs + withinMs), parts.webhooks.engine?.stop()])
      if (delayMs > 0) await delay(delayMs)
      // Streams do not end by themselves. If a client does not read, closing its connection ends its stream.
      const streamsEnded = parts.eventStreams.close()
      const apps = metricsApp === undefined ? [app] : [app, metricsApp]
      await Promise.all([streamsEnded, ...apps.map((one) => closeWithin(one, withinMs))])
      await jobsStopped
      await parts.webhooks.sender.close()
      await auth.close()
      await parts.eventFeed.close()
      if (options.renderer === undefined) await renderer.close()
      if (options.checker === undefined) await checker.close()
      parts.quota.close()
      await parts.storage.close()
      await parts.probe.close()
    },
  }
}

async function createParts(options: ServiceOptions, metrics: Metrics): Promise<Parts> {
  const { config, log, clock, database } = options
  const freeDisk = createFreeDisk({
    folders: await foldersToWatch(config),
    floorBytes: config.storageFreeBytes,
    log,
    registry: metrics.registry,
    ...(options.readFileSystem === undefined ? {} : { readState: options.readFileSystem }),
  })
  const store = await openObjectStore(config, freeDisk)
  const storage = createStorage({ store, db: database.db, log, freeDisk })
  const charges = STORAGE_CHARGES
  const quota = createStorageQuota({ db: database.db, log, quotaBytes: config.storageQuotaBytes, charges })
  const collection = { database, store, log, references: STORAGE_REFERENCES }
  const storageJobs = [...collectionJobs(collection, metrics.registry), ...quotaJobs({ ...collection, charges })]
  const renderer = options.renderer ?? createRenderer({ log })
  const checker = options.checker ?? createChecker({ log })
  const payments = await openPayments(config, { clock, log })
  const accountData = [
    // Quotes before designs, in the order in which creating an order from a quote locks them.
    quoteAccountData,
    orderAccountData({ onlinePayment: payments.provider !== undefined }),
    designAccountData({ clock, listOrdered: listOrderedDesigns }),
    assetAccountData({ baseUrl: `${config.origin}/v1` }),
    fontAccountData({ baseUrl: `${config.origin}/v1` }),
    webhookAccountData,
    eventAccountData,
    // Last, because every upload and save of the account locks the quota last.
    storageAccountData(quota),
  ]
  await keepOrderOfEvents(database.db, log)
  const { db, pool, openApart } = database
  const auth = await createAuth({
    config,
    db,
    pool,
    openApart,
    clock,
    log,
    metrics,
    accountData,
    storageUse: quota.read,
  })
  const { signStatement, refreshSigningKeys } = auth
  const families = installedFamilies()
  const tools = { storage, quota, renderer, checker, families }
  const designs = { config, database, clock, log, ...tools, signStatement, refreshSigningKeys }
  const failedItemFiles = countFailedItemFiles(metrics.registry)
  const orders = {
    db: database.db,
    pool: database.pool,
    clock,
    log,
    storage,
    quota,
    designs,
    sheets: designs,
    failedItemFiles,
    charges: createShopCharges(database.db),
    recordAdminAct: auth.recordAdminAct,
    ...payments,
  }
  const eventFeed = createEventFeed({ db: database.db, log })
  const eventStreams = createEventStreams({
    db: database.db,
    clock,
    log,
    feed: eventFeed,
    registry: metrics.registry,
    limits: config.eventStreams,
    authenticate: (request) => auth.authenticate(request),
  })
  const webhooks = createWebhookDeps({
    ...{ db: database.db, clock, log, feed: eventFeed, auth, config },
    hasFreeDisk: () =>
      storage.requireFree().then(
        () => true,
        () => false,
      ),
    registry: metrics.registry,
  })
  return {
    config,
    log,
    clock,
    database,
    probe: createProbe(database),
    storage,
    storageJobs,
    quota,
    renderer,
    checker,
    auth,
    eventFeed,
    eventStreams,
    designs,
    orders,
    webhooks,
  }
}

async function addRoutes(app: App, parts: Parts, isLeaving: () => boolean): Promise<void> {
  const { config, database, clock, storage, quota, renderer, checker, auth, designs, orders, eventStreams, webhooks } =
    parts
  const { db } = database
  const { recordAdminAct } = auth
  await addOpenApi(app, VERSION)
  await app.register(
    async (v1: App) => {
      authApiRoutes(v1, auth)
      accountRoutes(v1, auth)
      productRoutes(v1, { db, clock, recordAdminAct })
      assetRoutes(v1, { db, clock, storage, quota, inspect: inspectWith(renderer.inspect) })
      colorProfileRoutes(v1, { db, clock, storage, inspect: inspectWith(renderer.inspectProfile), recordAdminAct })
      fontRoutes(v1, { db, clock, storage, quota, inspect: inspectWith(renderer.inspectFont) })
      designRoutes(v1, designs)
      orderRoutes(v1, orders)
      if (isSandbox(config)) simulatorRoutes(v1, orders)
      eventRoutes(v1, { db, clock, streams: eventStreams })
      webhookRoutes(v1, webhooks)
    },
    { prefix: '/v1' },
  )
  // Some clients expect the sign-in endpoints without the version segment.
  await app.register(async (root: App) => {
    root.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true }
    })
    authApiRoutes(root, auth)
  })
  wellKnownRoutes(app, auth)
  mailPageRoutes(app, config)
  const otherParts = { 'text layout': checker.isWorking, drawing: renderer.isWorking }
  addHealthRoutes(app, parts.probe, storage, { parts: otherParts, isLeaving })
  addProblemPages(app)
  if (!config.production) addOutboxRoute(app, db, new URL(config.origin).hostname)
  addOpenApiRoute(app)
}

/** A folder on each file system that this process or its own database writes to. */
async function foldersToWatch({ dataDir, storageDir, databaseUrl }: Config): Promise<string[]> {
  const isEmbedded = databaseUrl === undefined && (await hasEmbeddedPostgres(dataDir))
  return [dataDir, storageDir, ...(isEmbedded ? [clusterFolder(dataDir)] : [])]
}

/** Returns whether all orders must be tests: on the embedded database, with test payments, outside production. */
function isSandbox({ production, databaseUrl, paymentProvider }: Config): boolean {
  return !production && databaseUrl === undefined && paymentProvider === 'test'
}
