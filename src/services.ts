import type { Auth } from './auth/index.ts'
import type { Config } from './config/index.ts'
import type { DesignDeps } from './designs/index.ts'
import type { EventStreams } from './events/index.ts'
import type { OrderMailDeps } from './order-mails/index.ts'
import type { OrderDeps } from './orders/index.ts'
import type { Clock } from './platform/clock.ts'
import type { DatabasePool } from './platform/db/index.ts'
import type { DatabaseProbe } from './platform/db/probe.ts'
import type { OpenReplica } from './platform/db/reading/replica.ts'
import type { FindShare } from './platform/fair-share.ts'
import type { SignedLinks } from './platform/http/links/signed-links.ts'
import type { Readiness } from './platform/http/operations/readiness.ts'
import type { JobDefinition } from './platform/jobs/jobs.ts'
import type { EventFeed } from './platform/outbox/index.ts'
import type { ProcessGroup } from './platform/processes/process-group.ts'
import type { PaceDownload, Storage, StorageQuota } from './platform/storage/index.ts'
import type { Log } from './platform/telemetry/log.ts'
import type { Checker, Renderer } from './rendering/index.ts'
import type { RequestLog } from './request-log/index.ts'
import type { CurrentShop, ShopDefaults } from './shop-settings/index.ts'
import type { WebhookDeps } from './webhooks/index.ts'

/** The services that the features of one process share. */
export interface Services {
  /** Its values for the shop are always the present ones. */
  config: Config
  currentShop: CurrentShop
  /** The shop as the environment describes it. */
  shopDefaults: ShopDefaults
  log: Log
  clock: Clock
  database: DatabasePool
  /** Undefined if this process is alone. */
  group: ProcessGroup | undefined
  replica: OpenReplica
  probe: DatabaseProbe
  readiness: Readiness
  /** When this process created its services. */
  startedAt: Date
  storage: Storage
  /** Bounds how fast a caller reads files (`createDownloadPace`). */
  paceDownload: PaceDownload
  /** Created only once, because creating these jobs registers metrics. */
  storageJobs: JobDefinition[]
  quota: StorageQuota
  renderer: Renderer
  checker: Checker
  /** Finds the share of a user (`createShares`). */
  findShare: FindShare
  auth: Auth
  links: SignedLinks
  eventFeed: EventFeed
  eventStreams: EventStreams
  designs: DesignDeps
  orders: OrderDeps
  orderMails: OrderMailDeps
  webhooks: WebhookDeps
  /** Undefined if requests are not logged. */
  requestLog: RequestLog | undefined
}
