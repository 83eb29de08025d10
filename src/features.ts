import { assetAccountData, assetCharges, assetReferences, assetRoutes } from './assets/index.ts'
import {
  type AccountData,
  accountRoutes,
  authApiRoutes,
  ENCRYPTED_COLUMNS_OF_AUTH,
  type EncryptedColumn,
} from './auth/index.ts'
import { changeRecordRoutes } from './change-records/index.ts'
import { colorProfileReferences, colorProfileRoutes } from './color-profiles/index.ts'
import type { Config } from './config/index.ts'
import {
  createTemplatePreviews,
  DESIGN_EVENTS,
  designAccountData,
  designCharges,
  designJobs,
  designReferences,
  designRoutes,
  findPublishable,
  revisionAccountData,
  revisionCharges,
} from './designs/index.ts'
import { type EventGroup, eventAccountData, eventJobs, eventRoutes } from './events/index.ts'
import { fontAccountData, fontCharges, fontReferences, fontRoutes } from './fonts/index.ts'
import {
  mailHistoryRoutes,
  mailPreviewRoutes,
  mailTextRoutes,
  orderMailAccountData,
  orderMailJobs,
} from './order-mails/index.ts'
import {
  listOrderedDesigns,
  ORDER_EVENTS,
  orderAccountData,
  orderJobs,
  orderReferences,
  orderRoutes,
  quoteAccountData,
  readPaymentState,
  simulatorRoutes,
} from './orders/index.ts'
import type { Clock } from './platform/clock.ts'
import type { App } from './platform/http/server.ts'
import type { JobDefinition } from './platform/jobs/jobs.ts'
import { readMessageQueue } from './platform/messages/mail.ts'
import {
  type StorageCharges,
  type StorageQuota,
  type StorageReferences,
  storageAccountData,
} from './platform/storage/index.ts'
import { productRoutes } from './products/index.ts'
import { inspectWith } from './rendering/index.ts'
import { requestLogAccountData, requestLogJobs, requestLogRoutes } from './request-log/index.ts'
import type { Services } from './services.ts'
import { shopSettingsRoutes } from './shop-settings/index.ts'
import { systemRoutes } from './system/index.ts'
import { templateRoutes } from './templates/index.ts'
import {
  countFailuresOfStaff,
  createThreadedFileSource,
  ENCRYPTED_COLUMNS_OF_WEBHOOKS,
  listFailuresOfStaff,
  readWebhookBacklog,
  webhookAccountData,
  webhookJobs,
  webhookRoutes,
} from './webhooks/index.ts'

/** What a feature adds to the service. */
interface Feature {
  /** Adds the routes below `/v1`. */
  routes?(v1: App, services: Services): void
  jobs?(services: Services): JobDefinition[]
  events?: EventGroup
  /** References to stored files. Files without a reference are deleted. */
  storageReferences?: StorageReferences
  /** Files that count towards the storage quota of an account. Print files and colour profiles do not. */
  storageCharges?: StorageCharges | readonly StorageCharges[]
  /** Columns that are encrypted with the secret of the service. */
  encryptedColumns?: readonly EncryptedColumn[]
}

/** All features. The OpenAPI document lists the operations in this order. */
export const FEATURES: readonly Feature[] = [
  {
    routes: (v1, { auth }) => {
      authApiRoutes(v1, auth)
      accountRoutes(v1, auth)
    },
    jobs: ({ auth }) => auth.jobs,
    encryptedColumns: ENCRYPTED_COLUMNS_OF_AUTH,
  },
  {
    routes: (v1, { database: { db }, clock, storage, renderer, auth: { recordAdminAct } }) =>
      productRoutes(v1, { db, clock, storage, drawThumbnail: inspectWith(renderer.thumbnail), recordAdminAct }),
  },
  {
    routes: (v1, { replica }) => changeRecordRoutes(v1, { replica }),
  },
  {
    routes: (v1, { database: { db }, clock, storage, renderer, currentShop, shopDefaults, auth }) => {
      const { recordAdminAct, notices } = auth
      shopSettingsRoutes(v1, {
        ...{ db, clock, storage, recordAdminAct, notices, defaults: shopDefaults, currentShop },
        drawThumbnail: inspectWith(renderer.thumbnail),
      })
    },
  },
  {
    routes: (v1, { config, database: { db }, clock, storage, quota, renderer, links, findShare }) =>
      assetRoutes(v1, {
        ...{ db, clock, storage, quota, links, findShare },
        files: createThreadedFileSource({
          allowedNetworks: config.webhookAllowedNetworks,
          allowHttp: !config.production,
        }),
        inspect: inspectWith(renderer.inspect),
        drawThumbnail: inspectWith(renderer.thumbnail),
      }),
    storageReferences: assetReferences,
    storageCharges: assetCharges,
  },
  {
    routes: (v1, { database: { db }, clock, storage, renderer, auth: { recordAdminAct } }) =>
      colorProfileRoutes(v1, { db, clock, storage, inspect: inspectWith(renderer.inspectProfile), recordAdminAct }),
    storageReferences: colorProfileReferences,
  },
  {
    routes: (v1, { database: { db }, clock, storage, quota, renderer }) =>
      fontRoutes(v1, { db, clock, storage, quota, inspect: inspectWith(renderer.inspectFont) }),
    storageReferences: fontReferences,
    storageCharges: fontCharges,
  },
  {
    routes: (v1, { database: { db }, clock, designs, auth: { recordAdminAct } }) => {
      const drawPreview = createTemplatePreviews(db, designs)
      const { families } = designs
      templateRoutes(v1, { db, clock, recordAdminAct, findDesign: findPublishable, drawPreview, families })
    },
  },
  {
    routes: (v1, { designs }) => designRoutes(v1, designs),
    jobs: ({ designs, renderer, checker }) =>
      designJobs({ ...designs, renderer: renderer.inBackground, checker: checker.inBackground }),
    events: { types: DESIGN_EVENTS, record: 'Design', permission: 'designs:read' },
    storageReferences: designReferences,
    storageCharges: [designCharges, revisionCharges],
  },
  {
    routes: (v1, { config, orders }) => {
      orderRoutes(v1, orders, { countFailures: countFailuresOfStaff, listFailures: listFailuresOfStaff })
      simulatorRoutes(v1, orders, { isSandbox: isSandbox(config) })
    },
    jobs: ({ orders }) => orderJobs(orders),
    events: { types: ORDER_EVENTS, record: 'Order', permission: 'orders:read' },
    storageReferences: orderReferences,
  },
  {
    routes: (v1, { config, clock, orderMails, auth: { recordAdminAct } }) => {
      mailPreviewRoutes(v1, orderMails)
      mailTextRoutes(v1, { db: orderMails.db, clock, recordAdminAct })
      mailHistoryRoutes(v1, { db: orderMails.db, config })
    },
    jobs: ({ orderMails }) => orderMailJobs(orderMails),
  },
  {
    routes: (v1, { database: { db }, clock, eventStreams, auth: { authenticate, tickets } }) =>
      eventRoutes(v1, { db, clock, streams: eventStreams, eventGroups: EVENT_GROUPS, authenticate, tickets }),
    jobs: ({ database: { db }, clock }) => eventJobs({ db, clock }),
  },
  {
    routes: (v1, { webhooks }) => webhookRoutes(v1, webhooks),
    jobs: ({ webhooks }) => webhookJobs(webhooks),
    encryptedColumns: ENCRYPTED_COLUMNS_OF_WEBHOOKS,
  },
  {
    routes: (v1, { config, database: { db }, clock, startedAt, readiness, orders, auth: { recordAdminAct } }) => {
      const hasMailServer = config.smtpUrl !== undefined
      const queues = { readMessageQueue, readWebhookBacklog, hasMailServer }
      const readPayments = () => readPaymentState(orders, config)
      systemRoutes(v1, { config, readPayments, db, clock, startedAt, readiness, recordAdminAct, ...queues })
    },
  },
  {
    routes: (v1, { database: { db }, replica }) => requestLogRoutes(v1, { db, replica }),
    jobs: ({ database: { db }, clock }) => requestLogJobs({ db, clock }),
  },
]

export const EVENT_GROUPS = FEATURES.flatMap(({ events }) => events ?? [])
export const EVENT_TYPES = EVENT_GROUPS.flatMap(({ types }) => types)
export const STORAGE_REFERENCES = FEATURES.flatMap(({ storageReferences }) => storageReferences ?? [])
export const ENCRYPTED_COLUMNS = FEATURES.flatMap(({ encryptedColumns }) => encryptedColumns ?? [])
export const STORAGE_CHARGES = FEATURES.flatMap(({ storageCharges }) => storageCharges ?? [])

interface AccountDataDeps {
  config: Config
  clock: Clock
  quota: StorageQuota
  onlinePayment: boolean
}

/**
 * Lists the parts of an account for its export and its erasure. They are in the order in which transactions lock them.
 */
export function listAccountData({ config, clock, quota, onlinePayment }: AccountDataDeps): AccountData[] {
  const baseUrl = `${config.origin}/v1`
  return [
    // Quotes come before designs, because creating an order from a quote locks them in this order.
    quoteAccountData,
    orderAccountData({ onlinePayment }),
    orderMailAccountData,
    revisionAccountData,
    designAccountData({ clock, listOrdered: listOrderedDesigns }),
    assetAccountData({ baseUrl }),
    fontAccountData({ baseUrl }),
    webhookAccountData,
    eventAccountData,
    requestLogAccountData,
    // The storage comes last, because every upload and every save of the account locks the quota last.
    storageAccountData(quota),
  ]
}

/**
 * Returns whether all orders of the installation must be tests. They must be on the embedded database with test
 * payments outside of production.
 */
function isSandbox({ production, databaseUrl, paymentProvider }: Config): boolean {
  return !production && databaseUrl === undefined && paymentProvider === 'test'
}
