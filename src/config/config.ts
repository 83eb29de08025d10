import { resolve } from 'node:path'
import { createOrigins } from '../platform/http/core/origins.ts'
import type { TracingSettings } from '../platform/telemetry/start-tracing.ts'
import { type IdentityProviderSettings, readIdentityProviders } from './identity-providers.ts'
import { type PaymentSettings, readPayments } from './payments.ts'
import { defaultProcesses } from './processes.ts'
import { type Environment, readSettings, type Settings } from './settings.ts'
import { readShop, type ShopSettings } from './shop.ts'
import { readStorage, type StorageSettings } from './storage.ts'
import { readTracing } from './tracing.ts'
import { checkOrigin, refuseExposed } from './values/checks.ts'
import { ConfigError } from './values/config-error.ts'
import { readSecretKeys } from './values/secret-key.ts'

/** Who gets a new account: everyone, invited persons, or invited operators and administrators only. */
export type RegistrationPolicy = 'open' | 'invitation' | 'closed'

/** All settings, validated and complete. Durations in seconds. */
export interface Config extends StorageSettings, ShopSettings, PaymentSettings, IdentityProviderSettings {
  production: boolean
  /** `{origin}`: scheme, host and port under which clients reach the service, without a trailing slash. */
  origin: string
  host: string
  port: number
  /** Number of API processes of `platen serve`. With 1, one process does everything. */
  processes: number
  dataDir: string
  /** URL of the database. Undefined means the embedded PostgreSQL in the data folder. */
  databaseUrl: string | undefined
  /** URL of the same database without the pooler of `databaseUrl`. Undefined: there is no pooler. */
  databaseDirectUrl: string | undefined
  /** URL of a read replica of the database. */
  databaseReplicaUrl: string | undefined
  /** Whether connections keep prepared statements. */
  databasePrepared: boolean
  /** The secret of the service, in base64url. Undefined means the file `secret.key` in the data folder. */
  secretKey: string | undefined
  /** The variable that has it, for messages. */
  secretKeyName: string | undefined
  /** The secret before `secretKey`, which the service accepts until its rotation is complete. */
  previousSecretKey: string | undefined
  /** Passphrase with which backups encrypt the secret of the service. */
  backupPassphrase: string | undefined
  /** Folder to which the embedded PostgreSQL archives its write-ahead log. Undefined: it does not. */
  walArchive: string | undefined
  /** Maximum number of connections of this node for requests and jobs. LISTEN and readiness checks use others. */
  databasePool: number
  /** Time after which a statement is logged as slow. 0: never. */
  slowStatementMs: number
  /** Mail server. If undefined, mails stay in the outbox. */
  smtpUrl: string | undefined
  mailFrom: string
  /**
   * Whether the service sends mails, text messages and webhooks, and calls payment providers. Otherwise they wait, as for
   * a restored copy that must not act on the world.
   */
  send: boolean
  /** Whether customers get mails about their orders. */
  orderMails: boolean
  requestLog: boolean
  /** Folder with templates that replace those of the service. */
  mailTemplatesDir: string | undefined
  /** Service that sends text messages. If undefined, they stay in the outbox. */
  sms: SmsService | undefined
  /** Maximum number of text messages within an hour, to all numbers together. */
  smsPerHour: number
  /**
   * URLs to which the browser may be redirected after a sign-in with a provider. A URL must match one of them exactly.
   */
  redirectUris: readonly string[]
  /** Origins of those URIs, and those of `PLATEN_CORS_ORIGINS`: their pages may call the API. See `createOrigins`. */
  pageOrigins: readonly string[]
  /** Exact origins of `PLATEN_CORS_ORIGINS`: their pages may also send cookies where these recognize a device. */
  cookieOrigins: readonly string[]
  /** Who gets a new account: everyone, invited persons, or invited operators and administrators only. */
  registration: RegistrationPolicy
  passwordMinLength: number
  /**
   * Range service for breached passwords (the k-anonymity protocol of Have I Been Pwned). If undefined, passwords are
   * not checked for breaches.
   */
  passwordRangeUrl: string | undefined
  /** URL at which GitHub publishes the keys that sign its reports of leaked API keys. */
  secretScanningKeysUrl: string
  auditSeconds: number
  trustedProxies: readonly string[]
  /** Networks and IP addresses to which webhooks may be sent although they are not public. */
  webhookAllowedNetworks: readonly string[]
  /** Requests per minute; undefined: no limit. */
  rateLimits:
    | {
        signedIn: number
        anonymous: number
        /** Per IP address, apart from other anonymous requests, so that these keep no one from signing in. */
        signIn: number
        refresh: number
        finalize: number
        upload: number
        incoming: number
        links: number
        guest: number
      }
    | undefined
  /** Bytes that one customer may move between one process and the database. Undefined: any number, for all callers. */
  transferBytesPerSecond: number | undefined
  /** Limits on what slow clients occupy in one process; `requests` and `uploads` undefined: no limit. */
  flow: {
    requests: number | undefined
    uploads: number | undefined
    accountBytes: number
    totalBytes: number
    stallMs: number
  }
  /** Maximum number of open event streams of one process, in total and per account. */
  eventStreams: { total: number; perUser: number }
  /** Separate port for `/metrics`. If undefined, `/metrics` is on the main port, for operators only. */
  metricsPort: number | undefined
  /** Where traces are sent. Undefined: none are recorded. */
  tracing: TracingSettings | undefined
  logLevel: string
  /**
   * Time after the signal to stop for which the service still serves requests, while `/health/ready` returns status
   * 503.
   */
  shutdownDelaySeconds: number
  /** Warnings about settings that work but that the operator should change. */
  warnings: readonly string[]
  admin: { email: string; password: string | undefined }
  tokens: {
    accessSeconds: number
    refreshSeconds: number
    sessionMaxSeconds: number
    replaySeconds: number
    stepUpSeconds: number
  }
  login: {
    attempts: number
    windowSeconds: number
    blockSeconds: number
    extendedBlockSeconds: number
    blocksBeforeExtended: number
    attemptsPerIp: number
  }
}

/** A service that sends text messages and has the API of Twilio. */
export interface SmsService {
  /** URL of the service. It may contain a user name and a password. */
  url: string
  /** Countries to whose numbers messages may be sent, as ISO 3166-1 alpha-2 codes. */
  countries: readonly string[]
}

/**
 * Reads the settings from the environment. No other function reads settings from it.
 *
 * @throws {ConfigError} for the first invalid setting
 */
export function readConfig(env: Environment = process.env): Config {
  const settings = readSettings(env)
  const { PLATEN_HOST: host, PLATEN_PORT: port, PLATEN_REDIRECT_URIS: redirectUris, production } = settings
  const dataDir = resolve(settings.PLATEN_DATA_DIR)
  const origin = settings.PLATEN_PUBLIC_URL ?? defaultOrigin(host, port, production)
  const config: Config = {
    production,
    warnings: [...settings.warnings, ...warnOfMutePages(settings, origin), ...warnOfMissingProxy(settings)],
    origin,
    host,
    port,
    processes:
      settings.PLATEN_PROCESSES ?? defaultProcesses({ isEmbedded: settings.PLATEN_DATABASE_URL === undefined }),
    dataDir,
    databaseUrl: settings.PLATEN_DATABASE_URL,
    databaseDirectUrl: readFurtherUrl(settings, 'PLATEN_DATABASE_DIRECT_URL', 'the URL of the pooler'),
    databaseReplicaUrl: readFurtherUrl(settings, 'PLATEN_DATABASE_REPLICA_URL', 'of which it is a replica'),
    databasePrepared: settings.PLATEN_DATABASE_PREPARED === 'on',
    databasePool: settings.PLATEN_DATABASE_POOL,
    slowStatementMs: settings.PLATEN_SLOW_STATEMENT_MS,
    ...readSecretKeys(settings),
    backupPassphrase: settings.PLATEN_BACKUP_PASSPHRASE,
    walArchive: readWalArchive(settings, dataDir),
    ...readStorage(settings, dataDir),
    ...readShop(settings, origin),
    smtpUrl: settings.PLATEN_SMTP_URL,
    mailFrom: settings.PLATEN_MAIL_FROM ?? `"${settings.PLATEN_SHOP_NAME}" <no-reply@${new URL(origin).hostname}>`,
    requestLog: settings.PLATEN_REQUEST_LOG === 'on',
    send: settings.PLATEN_SEND === 'on',
    orderMails: settings.PLATEN_ORDER_MAILS === 'on',
    mailTemplatesDir: settings.PLATEN_MAIL_TEMPLATES_DIR,
    sms: readSms(settings),
    smsPerHour: settings.PLATEN_SMS_PER_HOUR,
    ...readIdentityProviders(settings),
    redirectUris,
    cookieOrigins: settings.PLATEN_CORS_ORIGINS.filter((entry) => !entry.includes('*')),
    pageOrigins: pageOriginsOf(redirectUris, settings.PLATEN_CORS_ORIGINS),
    registration: settings.PLATEN_REGISTRATION,
    passwordMinLength: settings.PLATEN_PASSWORD_MIN_LENGTH,
    passwordRangeUrl: settings.PLATEN_PASSWORD_RANGE_URL,
    secretScanningKeysUrl: settings.PLATEN_SECRET_SCANNING_KEYS_URL,
    auditSeconds: settings.PLATEN_AUDIT_DAYS * 86_400,
    trustedProxies: settings.PLATEN_TRUSTED_PROXIES,
    webhookAllowedNetworks: settings.PLATEN_WEBHOOK_ALLOWED_NETWORKS,
    rateLimits: readRateLimits(settings),
    transferBytesPerSecond:
      settings.PLATEN_RATE_LIMITS === 'off' ? undefined : settings.PLATEN_TRANSFER_MIB_PER_SECOND * 1024 * 1024,
    flow: readFlow(settings),
    eventStreams: { total: settings.PLATEN_EVENT_STREAMS, perUser: settings.PLATEN_EVENT_STREAMS_PER_USER },
    ...readPayments(settings),
    metricsPort: settings.PLATEN_METRICS_PORT,
    tracing: readTracing(settings),
    logLevel: settings.PLATEN_LOG_LEVEL,
    shutdownDelaySeconds: settings.PLATEN_SHUTDOWN_DELAY,
    admin: { email: settings.PLATEN_ADMIN_EMAIL, password: settings.PLATEN_ADMIN_PASSWORD },
    tokens: {
      accessSeconds: settings.PLATEN_ACCESS_TOKEN_SECONDS,
      refreshSeconds: settings.PLATEN_REFRESH_TOKEN_SECONDS,
      sessionMaxSeconds: settings.PLATEN_SESSION_MAX_SECONDS,
      replaySeconds: settings.PLATEN_REFRESH_REPLAY_SECONDS,
      stepUpSeconds: settings.PLATEN_STEP_UP_SECONDS,
    },
    login: {
      attempts: settings.PLATEN_LOGIN_ATTEMPTS,
      windowSeconds: settings.PLATEN_LOGIN_WINDOW_SECONDS,
      blockSeconds: settings.PLATEN_LOGIN_BLOCK_SECONDS,
      extendedBlockSeconds: settings.PLATEN_LOGIN_EXTENDED_BLOCK_SECONDS,
      blocksBeforeExtended: settings.PLATEN_LOGIN_BLOCKS_BEFORE_EXTENDED,
      attemptsPerIp: settings.PLATEN_LOGIN_ATTEMPTS_PER_IP,
    },
  }
  refuseUnsafe(config)
  return freeze(config)
}

/** Reads the settings from the environment, with another data folder. */
export function readConfigFor(dataDir: string): Config {
  return readConfig({ ...process.env, PLATEN_DATA_DIR: dataDir })
}

/** Reads a further URL of the database. @throws {ConfigError} if it is set without `PLATEN_DATABASE_URL` */
function readFurtherUrl(
  settings: Settings,
  name: 'PLATEN_DATABASE_DIRECT_URL' | 'PLATEN_DATABASE_REPLICA_URL',
  relation: string,
): string | undefined {
  const url = settings[name]
  if (url === undefined || settings.PLATEN_DATABASE_URL !== undefined) return url
  throw new ConfigError(name, `is set without PLATEN_DATABASE_URL, ${relation}.`)
}

/** @throws {ConfigError} if the embedded database is not used, or if the loss of its folder would destroy the archive */
function readWalArchive(settings: Settings, dataDir: string): string | undefined {
  const name = 'PLATEN_WAL_ARCHIVE'
  const { [name]: value, PLATEN_DATABASE_URL: databaseUrl } = settings
  if (value === undefined) return undefined
  if (databaseUrl !== undefined) {
    throw new ConfigError(name, 'is for the embedded database. Unset it, and archive your own server with its tools.')
  }
  if (/^[a-z0-9]+:\/\//i.test(value)) throw new ConfigError(name, `is "${value}", but must be a folder.`)
  const folder = resolve(value)
  if (`${folder}/`.startsWith(`${dataDir}/`)) {
    throw new ConfigError(name, `is in ${dataDir}, whose loss it must survive. Choose another folder.`)
  }
  return folder
}

function defaultOrigin(host: string, port: number, production: boolean): string {
  const variable = { name: 'PLATEN_PUBLIC_URL', value: undefined, production }
  return checkOrigin(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, variable)
}

function pageOriginsOf(redirectUris: readonly string[], corsOrigins: readonly string[]): string[] {
  const origins = new Set([...redirectUris.map((uri) => new URL(uri).origin), ...corsOrigins])
  // The URI of an app, such as `com.example:/done`, has the origin "null", which no page of the app sends.
  origins.delete('null')
  return [...origins]
}

/** The pages that mails lead to must be able to send the token of the mail. */
function warnOfMutePages(settings: Settings, origin: string): string[] {
  const { PLATEN_SHOP_URL: shopUrl = origin, PLATEN_REDIRECT_URIS: uris, PLATEN_CORS_ORIGINS: others } = settings
  const { origin: shopOrigin } = new URL(shopUrl)
  if (shopOrigin === origin || createOrigins(pageOriginsOf(uris, others)).has(shopOrigin)) return []
  return [`PLATEN_SHOP_URL names ${shopOrigin}, whose pages may not call the API. Add it to PLATEN_CORS_ORIGINS.`]
}

/** The service has no TLS of its own, so in production it needs a proxy. */
function warnOfMissingProxy({ production, PLATEN_TRUSTED_PROXIES: proxies }: Settings): string[] {
  if (!production || proxies.length > 0) return []
  return [
    'PLATEN_TRUSTED_PROXIES is not set, so all requests are refused: in production, a proxy that it names must have received them over https.',
  ]
}

function readSms({ PLATEN_SMS_URL: url, PLATEN_SMS_COUNTRIES: countries }: Settings): SmsService | undefined {
  if (url === undefined) return undefined
  if (countries.length === 0) {
    throw new ConfigError(
      'PLATEN_SMS_COUNTRIES',
      'is not set, but PLATEN_SMS_URL is. Set it to the countries whose numbers may get messages, such as DE,FR.',
    )
  }
  return { url, countries }
}

function readRateLimits(settings: Settings): Config['rateLimits'] {
  if (settings.PLATEN_RATE_LIMITS === 'off') return undefined
  return {
    signedIn: settings.PLATEN_RATE_LIMIT_SIGNED_IN,
    anonymous: settings.PLATEN_RATE_LIMIT_ANONYMOUS,
    signIn: settings.PLATEN_RATE_LIMIT_ANONYMOUS,
    refresh: settings.PLATEN_RATE_LIMIT_ANONYMOUS,
    finalize: settings.PLATEN_RATE_LIMIT_FINALIZE,
    guest: settings.PLATEN_RATE_LIMIT_GUEST,
    upload: settings.PLATEN_RATE_LIMIT_UPLOAD,
    incoming: settings.PLATEN_RATE_LIMIT_INCOMING,
    links: settings.PLATEN_RATE_LIMIT_LINKS,
  }
}

/**
 * Reads the limits of slow clients. `PLATEN_RATE_LIMITS=off` disables the limits of the number of requests, but not
 * those of memory.
 */
function readFlow(settings: Settings): Config['flow'] {
  const { PLATEN_HELD_MIB: totalMib, PLATEN_HELD_MIB_PER_ACCOUNT: accountMib = Math.min(32, totalMib) } = settings
  const isLimited = settings.PLATEN_RATE_LIMITS === 'on'
  if (accountMib > totalMib) {
    throw new ConfigError('PLATEN_HELD_MIB_PER_ACCOUNT', `is more than PLATEN_HELD_MIB, which is ${totalMib}.`)
  }
  return {
    requests: isLimited ? settings.PLATEN_REQUESTS_IN_FLIGHT : undefined,
    uploads: isLimited ? settings.PLATEN_UPLOADS_IN_FLIGHT : undefined,
    accountBytes: accountMib * 1024 * 1024,
    totalBytes: totalMib * 1024 * 1024,
    stallMs: settings.PLATEN_STALL_SECONDS * 1000,
  }
}

function refuseUnsafe(config: Config): void {
  const adminMinLength = Math.max(12, config.passwordMinLength)
  if (config.admin.password !== undefined && config.admin.password.length < adminMinLength) {
    throw new ConfigError('PLATEN_ADMIN_PASSWORD', `is too short: use ${adminMinLength} characters or more.`)
  }
  const services = {
    PLATEN_SMS_URL: config.sms?.url,
    PLATEN_PASSWORD_RANGE_URL: config.passwordRangeUrl,
    PLATEN_SECRET_SCANNING_KEYS_URL: config.secretScanningKeysUrl,
  }
  for (const [name, url] of Object.entries(services)) {
    if (config.production && url !== undefined) refuseExposed(name, url)
  }
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member)
  return Object.freeze(value)
}
