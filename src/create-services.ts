import { Registry } from 'prom-client'
import { createAuth } from './auth/index.ts'
import type { Config } from './config/index.ts'
import { createEventStreams, hiddenTypesOf } from './events/index.ts'
import { EVENT_GROUPS, EVENT_TYPES, listAccountData, STORAGE_CHARGES, STORAGE_REFERENCES } from './features.ts'
import { createOrderMailDeps } from './order-mails/index.ts'
import { countFailedItemFiles, createShopCharges, openPayments } from './orders/index.ts'
import type { Clock } from './platform/clock.ts'
import { createTransferBudgets, type DatabasePool } from './platform/db/index.ts'
import { measureDatabase } from './platform/db/metrics.ts'
import { createProbe } from './platform/db/probe.ts'
import { createReplica } from './platform/db/reading/replica.ts'
import { createSignedLinks } from './platform/http/links/signed-links.ts'
import { createReadiness } from './platform/http/operations/readiness.ts'
import { readMessageQueue } from './platform/messages/mail.ts'
import { createShares } from './platform/newcomers.ts'
import { createEventFeed, keepOrderOfEvents } from './platform/outbox/index.ts'
import { clusterFolder, hasEmbeddedPostgres } from './platform/postgres/index.ts'
import type { ProcessGroup } from './platform/processes/process-group.ts'
import {
  collectionJobs,
  createDownloadPace,
  createFileBudget,
  createFreeDisk,
  createStorage,
  createStorageQuota,
  type FileSystemState,
  fileRates,
  measureFiles,
  measureStore,
  quotaJobs,
} from './platform/storage/index.ts'
import type { Log } from './platform/telemetry/log.ts'
import type { Metrics } from './platform/telemetry/metrics.ts'
import {
  type Checker,
  createChecker,
  createRenderer,
  installedFamilies,
  measureJobs,
  type Pools,
  type Renderer,
} from './rendering/index.ts'
import { createRequestLog } from './request-log/index.ts'
import type { Services } from './services.ts'
import { createCurrentShop, withCurrentShop } from './shop-settings/index.ts'
import { openObjectStore } from './storage.ts'
import { measureArchive, measureBackup, measureWork } from './system/index.ts'
import { createRemoteWebhooks, createWebhookDeps, readWebhookBacklog } from './webhooks/index.ts'

export interface ServicesOptions {
  config: Config
  log: Log
  clock: Clock
  database: DatabasePool
  /** How this process works together with the other processes of its node. Undefined: it is alone. */
  group?: ProcessGroup | undefined
  /** The pools that check and draw. Default: own ones. */
  pools?: Pools | undefined
  /** For tests: a renderer that several services share and that the caller closes. */
  renderer?: Renderer
  /** For tests: a checker that several services share and that the caller closes. */
  checker?: Checker
  /** For tests: replaces the function that reads the state of the file system of a folder. */
  readFileSystem?: (folder: string) => Promise<FileSystemState>
}

/** Creates the services that the features of one process share. */
export async function createServices(options: ServicesOptions, metrics: Metrics): Promise<Services> {
  const { log, clock, database, group } = options
  // All processes of a node read the same values from the database and the disks, so only one of them exposes these.
  const ofNode = group?.main === undefined ? metrics.registry : new Registry()
  const currentShop = createCurrentShop({ db: database.db, log }, options.config)
  const config = withCurrentShop(options.config, currentShop)
  const freeDisk = createFreeDisk({
    folders: await foldersToWatch(config),
    floorBytes: config.storageFreeBytes,
    log,
    registry: ofNode,
    shared: group?.shared,
    ...(options.readFileSystem === undefined ? {} : { readState: options.readFileSystem }),
  })
  const store = measureStore(await openObjectStore(config, freeDisk), metrics.registry)
  const rate = config.transferBytesPerSecond
  const [written, read] = rate === undefined ? [] : [1, 2].map(() => createTransferBudgets(fileRates(rate)))
  const pacing = { fileBudget: createFileBudget(written), paceDownload: createDownloadPace(read) }
  const storage = createStorage({ store, db: database.db, log, freeDisk, ...pacing })
  const charges = STORAGE_CHARGES
  const quota = createStorageQuota({ db: database.db, log, quotaBytes: config.storageQuotaBytes, charges })
  const collection = { database, store, log, references: STORAGE_REFERENCES }
  const storageJobs = [
    ...collectionJobs({ ...collection, isPaused: !config.send }, metrics.registry),
    ...quotaJobs({ ...collection, charges }),
  ]
  const findShare = createShares(database.db)
  const renderer = options.renderer ?? createRenderer({ log, findShare, pool: options.pools?.drawing })
  const checker = options.checker ?? createChecker({ log, findShare, pool: options.pools?.checking })
  measureDatabase(metrics.registry, database.load)
  measureFiles(metrics.registry, { written: written?.use, read: read?.use })
  measureJobs(ofNode, { drawing: renderer, checking: checker })
  const payments = await openPayments(config, { clock, log })
  const onlinePayment = payments.provider !== undefined
  const accountData = listAccountData({ config, clock, quota, onlinePayment })
  await keepOrderOfEvents(database.db, log)
  const replica = createReplica({
    ...{ database, log, registry: metrics.registry },
    ...{ url: config.databaseReplicaUrl, slowStatementMs: config.slowStatementMs },
  })
  const { db, pool, openApart } = database
  const auth = await createAuth({
    config,
    db,
    pool,
    openApart,
    replica,
    clock,
    log,
    metrics,
    accountData,
    quota,
    group,
  })
  await currentShop.follow(auth.notices)
  const { signStatement, refreshSigningKeys } = auth
  const links = createSignedLinks({ signer: auth.signerFor('platen links 1'), clock, origin: config.origin })
  const families = installedFamilies()
  const tools = { links, storage, quota, renderer, checker, families }
  const designs = { config, database, clock, log, ...tools, signStatement, refreshSigningKeys }
  const failedItemFiles = countFailedItemFiles(metrics.registry)
  const orders = {
    db: database.db,
    reads: database.reads,
    replica,
    clock,
    log,
    storage,
    quota,
    renderer,
    designs,
    sheets: designs,
    links,
    failedItemFiles,
    charges: createShopCharges(database.db),
    recordAdminAct: auth.recordAdminAct,
    ...payments,
  }
  const drawThumbnail = renderer.thumbnail
  const { mayMailUnconfirmed } = auth
  const orderMails = createOrderMailDeps({
    ...{ db: database.db, clock, log, storage, config },
    ...{ drawThumbnail, mayMailUnconfirmed },
  })
  const eventFeed = createEventFeed({ db: database.db, log })
  const eventStreams = createEventStreams({
    db: database.db,
    clock,
    log,
    feed: eventFeed,
    registry: metrics.registry,
    limits: config.eventStreams,
    main: group?.main,
    findShare,
  })
  const webhooks = createWebhookDeps({
    ...{ db: database.db, clock, log, feed: eventFeed, eventTypes: EVENT_TYPES, auth, config },
    hiddenTypesOf: (reader) => hiddenTypesOf(reader, EVENT_GROUPS),
    hasFreeDisk: () =>
      storage.requireFree().then(
        () => true,
        () => false,
      ),
    registry: metrics.registry,
  })
  const { main } = group ?? {}
  if (main !== undefined) webhooks.engine = createRemoteWebhooks(main)
  measureWork(ofNode, { db, readMessageQueue, readWebhookBacklog })
  measureBackup(ofNode, db)
  if (config.walArchive !== undefined)
    measureArchive(ofNode, db, { archive: config.walArchive, dataDir: config.dataDir })
  const requestLog = config.requestLog
    ? createRequestLog({
        ...{ db, clock, log, registry: metrics.registry, processes: group?.processes },
        requireFreeDisk: storage.requireFree,
      })
    : undefined
  const probe = createProbe(database)
  const parts = {
    'text layout': checker.isWorking,
    drawing: renderer.isWorking,
    'password hashing': () => auth.services.hasher.isWorking(),
  }
  return {
    config,
    currentShop,
    shopDefaults: options.config,
    log,
    clock,
    database,
    group,
    replica,
    probe,
    readiness: createReadiness({ database: probe, storage, parts }),
    startedAt: clock.now(),
    storage,
    paceDownload: pacing.paceDownload,
    storageJobs,
    quota,
    renderer,
    checker,
    findShare,
    auth,
    links,
    eventFeed,
    eventStreams,
    designs,
    orders,
    orderMails,
    webhooks,
    requestLog,
  }
}

/** Returns a folder on each file system to which this process or the embedded database writes. */
async function foldersToWatch({ dataDir, storageDir, databaseUrl }: Config): Promise<string[]> {
  const isEmbedded = databaseUrl === undefined && (await hasEmbeddedPostgres(dataDir))
  return [dataDir, storageDir, ...(isEmbedded ? [clusterFolder(dataDir)] : [])]
}
