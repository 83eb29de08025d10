import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyListenOptions as ListenOptions } from 'fastify'
import { authApiRoutes, COOKIE_PATHS, requireRoleWithAny, signInSettings, wellKnownRoutes } from './auth/index.ts'
import { createServices, type ServicesOptions } from './create-services.ts'
import { DESIGN_TRANSITIONS } from './designs/index.ts'
import { FEATURES } from './features.ts'
import { type OrderMailEngine, startOrderMails } from './order-mails/index.ts'
import { ORDER_TRANSITIONS, PAYMENT_TRANSITIONS, SHIPMENT_TRANSITIONS } from './orders/index.ts'
import { closeWithin } from './platform/http/connections/drain.ts'
import { publicRoute } from './platform/http/core/guard.ts'
import { compileBodySchemas, type ResponseCheck } from './platform/http/input/validation.ts'
import { addOpenApi, addOpenApiRoute, openApiDocument } from './platform/http/operations/openapi.ts'
import { addHealthRoutes, addMetricsRoute, addOutboxRoute } from './platform/http/operations/operations.ts'
import { type App, createHttpApp, type HttpOptions } from './platform/http/server.ts'
import type { JobRunner } from './platform/jobs/jobs.ts'
import { type HeldBackWatch, watchHeldBack } from './platform/outbox/index.ts'
import { type StoreWatch, watchStore } from './platform/storage/index.ts'
import { createMetrics, type Metrics } from './platform/telemetry/metrics.ts'
import { startTracing } from './platform/telemetry/start-tracing.ts'
import { VERSION } from './platform/version.ts'
import { readEntry } from './request-log/index.ts'
import type { Services } from './services.ts'
import { type ApiDocument, outboxRoutes, type SiteSettings, siteRoutes } from './site/index.ts'
import { TAGS } from './tags.ts'
import { DOCUMENTED_DELIVERY, startWebhooks } from './webhooks/index.ts'
import { startJobs } from './worker.ts'

export interface ServiceOptions extends ServicesOptions {
  /** For tests: maximum time for which idle connections may delay the shutdown. */
  drainMs?: number
  /** For tests: called if a response does not match its documented schema. */
  onResponseMismatch?: ResponseCheck
}

export interface Service {
  app: App
  services: Services
  metrics: Metrics
  /** Starts to serve requests. Returns the URL of the service. */
  listen(): Promise<string>
  /** Starts to serve only metrics and health on `PLATEN_METRICS_PORT`. Returns the URL. Undefined without that setting. */
  listenForMetrics(): Promise<string | undefined>
  /** Starts jobs and webhook deliveries in this process. Calling it again changes nothing. */
  startJobs(): void
  /**
   * Completes the requests and jobs in progress, then stops the service. The caller must close the database afterwards.
   */
  close(options?: CloseOptions): Promise<void>
}

/** Durations in milliseconds. */
export interface CloseOptions {
  /**
   * Time for which the service still serves requests before it stops listening. During this time `/health/ready`
   * returns status 503. Default: 0.
   */
  delayMs?: number
  /**
   * Time after `delayMs` within which requests, streams and jobs must end. The remaining ones are aborted. Default: 20
   * s.
   */
  withinMs?: number
  /** What must end before the service closes what other processes use: the pools that check and draw. */
  until?: Promise<void> | undefined
}

const CLOSE_MS = 20_000

/** Creates the service. Every feature is a function that gets its dependencies as parameters. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { group } = options
  const isApi = group === undefined || group.main !== undefined
  if (group?.main === undefined) for (const warning of options.config.warnings) options.log.warn({}, warning)
  const metrics = createMetrics()
  const { tracing: tracingSettings } = options.config
  const tracing = tracingSettings && startTracing(tracingSettings, { log: options.log, registry: metrics.registry })
  const services = await createServices(options, metrics)
  if (!options.config.send && group?.main === undefined) {
    options.log.warn(
      {},
      'PLATEN_SEND is off: no mails, text messages and webhooks are sent, and no payment provider is called',
    )
  }
  let hasBegunToLeave = false
  const isLeaving = (): boolean => hasBegunToLeave
  const { config, auth, renderer, checker } = services
  const httpOptions: HttpOptions = {
    log: options.log,
    metrics,
    trustedProxies: config.trustedProxies,
    httpsOnly: config.production,
    pageOrigins: config.pageOrigins,
    cookiePages: { origins: config.cookieOrigins, paths: COOKIE_PATHS },
    rateLimits: config.rateLimits,
    flow: config.flow,
    paceDownload: services.paceDownload,
    requireFreeDisk: services.storage.requireFree,
    debts: services.database.debts,
    findShare: services.findShare,
    documentationBase: `${config.origin}/problems`,
    group,
    authenticate: auth.authenticate,
    isLeaving,
    onRequestEnd: (request, reply) => {
      const entry = services.requestLog === undefined ? undefined : readEntry(request, reply, options.clock)
      if (entry !== undefined) services.requestLog?.add(entry)
    },
    ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
    ...(options.onResponseMismatch === undefined ? {} : { onResponseMismatch: options.onResponseMismatch }),
  }
  const app = createHttpApp(httpOptions)
  if (isApi) {
    await addRoutes(app, services, isLeaving)
    // Every member of the staff may read events, and a key for monitoring needs no more than the state of the service.
    addMetricsRoute(app, metrics, requireRoleWithAny('operator', 'system:read', 'events:read'), group)
  }
  await app.ready()
  const metricsApp =
    config.metricsPort === undefined ? undefined : createHttpApp({ ...httpOptions, httpsOnly: false, flow: undefined })
  if (metricsApp !== undefined) {
    addMetricsRoute(metricsApp, metrics, publicRoute, group)
    addHealthRoutes(metricsApp, services.readiness, { isLeaving, isComplete: group?.isComplete })
  }
  let jobs: JobRunner | undefined
  let orderMails: OrderMailEngine | undefined
  let heldBack: HeldBackWatch | undefined
  let storeWatch: StoreWatch | undefined

  const listenForMetrics = async (): Promise<string | undefined> => {
    await metricsApp?.listen({ host: config.host, port: config.metricsPort ?? 0 })
    return metricsApp && urlOf(metricsApp)
  }

  return {
    app,
    services,
    metrics,
    listen: async () => {
      await listenForMetrics()
      const { host, port } = config
      const reusePort = group?.sharesPort === true
      // The types of the package do not declare all options of `net.Server`.
      const listening: ListenOptions & { reusePort: boolean } = { host, port, reusePort }
      await app.listen(listening)
      compileBodySchemas().catch((error: unknown) => options.log.error({ err: error }, 'a schema cannot be compiled'))
      return urlOf(app)
    },
    listenForMetrics,
    startJobs: () => {
      jobs ??= startJobs(services)
      orderMails ??= startOrderMails(services.orderMails)
      heldBack ??= watchHeldBack({ db: services.database.db, log: options.log })
      storeWatch ??= watchStore({ compare: services.storage.compare, log: options.log })
      if (config.send && services.webhooks.engine === undefined) startWebhooks(services.webhooks)
    },
    close: async ({ delayMs = 0, withinMs = CLOSE_MS, until } = {}) => {
      hasBegunToLeave = true
      storeWatch?.stop()
      // Jobs stop before the delay, so that another process runs the jobs that this process no longer starts.
      const jobsStopped = Promise.all([
        jobs?.stop(delayMs + withinMs),
        orderMails?.stop(),
        heldBack?.stop(),
        services.webhooks.engine?.stop(),
      ])
      if (delayMs > 0) await delay(delayMs)
      // Streams never end by themselves, so they are ended first. If a client does not read, closing its connection
      // ends its stream.
      const streamsEnded = services.eventStreams.close()
      const apps = metricsApp === undefined ? [app] : [app, metricsApp]
      await Promise.all([streamsEnded, ...apps.map((one) => closeWithin(one, withinMs))])
      await jobsStopped
      await until
      await services.requestLog?.close()
      await services.webhooks.sender.close()
      services.currentShop.close()
      await auth.close()
      await services.eventFeed.close()
      if (options.renderer === undefined) await renderer.close()
      if (options.checker === undefined) await checker.close()
      services.quota.close()
      await services.storage.close()
      await services.replica.close()
      await services.probe.close()
      await tracing?.close()
    },
  }
}

/** Returns the URL under which an app listens. */
export function urlOf(app: App): string {
  const { address, port } = app.server.address() as AddressInfo
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

async function addRoutes(app: App, services: Services, isLeaving: () => boolean): Promise<void> {
  const { config, database, auth } = services
  await addOpenApi(app, { version: VERSION, tags: TAGS, webhooks: DOCUMENTED_DELIVERY })
  await app.register(
    async (v1: App) => {
      for (const feature of FEATURES) feature.routes?.(v1, services)
    },
    { prefix: '/v1' },
  )
  // Some clients expect the sign-in endpoints at URLs without `/v1`.
  await app.register(async (root: App) => {
    root.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true }
    })
    authApiRoutes(root, auth)
  })
  wellKnownRoutes(app, auth)
  addHealthRoutes(app, services.readiness, { isLeaving, isComplete: services.group?.isComplete })
  const machines = {
    designs: DESIGN_TRANSITIONS,
    orders: ORDER_TRANSITIONS,
    payments: PAYMENT_TRANSITIONS,
    shipments: SHIPMENT_TRANSITIONS,
  }
  const readApi = () => openApiDocument(app) as ApiDocument
  const settings = siteSettings(services)
  siteRoutes(app, {
    settings,
    db: database.db,
    machines,
    readApi,
    shippingMethods: services.orders.charges.shippingMethods,
  })
  if (!config.production) {
    addOutboxRoute(app, database.db, new URL(config.origin).hostname)
    outboxRoutes(app, { db: database.db, settings })
  }
  addOpenApiRoute(app, config.origin)
}

/** Returns the same settings until an administrator changes the shop, so that pages can keep what depends on them. */
function siteSettings({ config, currentShop, auth }: Services): () => SiteSettings {
  let made: { shop: object; settings: SiteSettings } | undefined
  return () => {
    const shop = currentShop.current()
    if (made?.shop !== shop) {
      made = { shop, settings: { ...config, version: VERSION, signIn: signInSettings(auth.services) } }
    }
    return made.settings
  }
}
