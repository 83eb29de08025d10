import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { readStorage, type StorageSettings } from './config-storage.ts'
import {
  ConfigError,
  type DeprecatedSetting,
  type Environment,
  isExposed,
  readCountries,
  readDatabaseUrl,
  reader,
  readNetworks,
  readOrigin,
  readProxies,
  readRedirectUris,
  readServiceUrl,
  readSmtpUrl,
} from './config-values.ts'

export { ConfigError } from './config-values.ts'

/** Everything that can be set from outside, checked and complete. Durations in seconds. */
export interface Config extends StorageSettings {
  production: boolean
  /** `{origin}`: scheme, host and port under which clients reach the service; no trailing slash. */
  origin: string
  host: string
  port: number
  dataDir: string
  /** Undefined: the embedded PostgreSQL in the data folder. */
  databaseUrl: string | undefined
  /** Connections for requests and jobs. What listens, and the check of readiness, have their own besides. */
  databasePool: number
  /** Undefined: mails stay in the outbox. */
  smtpUrl: string | undefined
  mailFrom: string
  /** Undefined: text messages stay in the outbox. */
  sms: SmsService | undefined
  /** Text messages in any hour, to everybody together. */
  smsPerHour: number
  /** Undefined: people cannot sign in with this provider. */
  google: (OAuthClient & { issuer: string }) | undefined
  github: (OAuthClient & { url: string; apiUrl: string }) | undefined
  /** Where the browser may be sent after a sign-in elsewhere, exactly. */
  redirectUris: readonly string[]
  /** The sites of those addresses: their pages may call the API. */
  pageOrigins: readonly string[]
  /** Characters that a password needs. */
  passwordMinLength: number
  /** Range service for breached passwords (the k-anonymity protocol of Have I Been Pwned); undefined: not asked. */
  passwordRangeUrl: string | undefined
  /** Where GitHub publishes the keys that sign its alerts about leaked keys. */
  secretScanningKeysUrl: string
  /** How long the record of security events is kept. */
  auditSeconds: number
  trustedProxies: readonly string[]
  /** Networks and addresses that webhooks may reach besides public ones. */
  webhookAllowedNetworks: readonly string[]
  /** Requests per minute; undefined where they are not limited. */
  rateLimits: { signedIn: number; anonymous: number; finalize: number; upload: number; incoming: number } | undefined
  /** What clients that read or send slowly may make one process hold; `requests` undefined: not limited. */
  flow: {
    requests: number | undefined
    uploads: number | undefined
    accountBytes: number
    totalBytes: number
    stallMs: number
  }
  /** Streams of events that one process keeps open, together and for one account. */
  eventStreams: { total: number; perUser: number }
  paymentProvider: 'manual' | 'test' | 'stripe'
  /** Undefined: Stripe is not used, neither for payments nor for refunds. */
  stripe: { secretKey: string; webhookSecret: string; apiUrl: string } | undefined
  /** Undefined: `/metrics` answers on the main port, for operators. */
  metricsPort: number | undefined
  logLevel: string
  /** How long a service that was told to stop goes on answering, with readiness at 503. */
  shutdownDelaySeconds: number
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
  /** Settings that were given under a former name. */
  deprecated: readonly DeprecatedSetting[]
}

export interface OAuthClient {
  clientId: string
  clientSecret: string
}

/** A service that takes messages as Twilio does. */
export interface SmsService {
  /** With user and password, if it asks for them. */
  url: string
  /** Countries to whose numbers messages may go (ISO 3166-1 alpha-2). */
  countries: readonly string[]
}

/**
 * Reads the settings from the environment. Nothing else in the program reads it.
 *
 * @throws {ConfigError} for the first setting that is not usable
 */
export function readConfig(env: Environment = process.env): Config {
  const read = reader(env)
  const production = env['NODE_ENV'] === 'production'
  const host = read.text('PLATEN_HOST', '127.0.0.1')
  const port = read.integer('PLATEN_PORT', 8080, 0, 65535)
  const dataDir = resolve(read.text('PLATEN_DATA_DIR', './data'))
  const origin = readOrigin(
    read.text('PLATEN_PUBLIC_URL', `http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    production,
  )
  const redirectUris = readRedirectUris(read.list('PLATEN_REDIRECT_URIS'), production)
  const config: Config = {
    production,
    origin,
    host,
    port,
    dataDir,
    databaseUrl: readDatabaseUrl(read.optional('PLATEN_DATABASE_URL')),
    databasePool: read.integer('PLATEN_DATABASE_POOL', defaultPool(availableParallelism()), 2, 1_000),
    ...readStorage(read, dataDir, production),
    smtpUrl: readSmtpUrl(read.optional('PLATEN_SMTP_URL')),
    mailFrom: read.text('PLATEN_MAIL_FROM', `Platen <no-reply@${new URL(origin).hostname}>`),
    sms: readSms(read),
    smsPerHour: read.integer('PLATEN_SMS_PER_HOUR', 200, 1, 1_000_000),
    google: readGoogle(read),
    github: readGithub(read),
    redirectUris,
    pageOrigins: pageOriginsOf(redirectUris),
    passwordMinLength: read.integer('PLATEN_PASSWORD_MIN_LENGTH', 12, 8, 128),
    passwordRangeUrl: readOptionalUrl(read, 'PLATEN_PASSWORD_RANGE_URL'),
    secretScanningKeysUrl:
      readOptionalUrl(read, 'PLATEN_SECRET_SCANNING_KEYS_URL') ??
      'https://api.github.com/meta/public_keys/secret_scanning',
    auditSeconds: read.integer('PLATEN_AUDIT_DAYS', 400, 30, 36_500) * 86_400,
    trustedProxies: readProxies(read.list('PLATEN_TRUSTED_PROXIES')),
    webhookAllowedNetworks: readNetworks(
      'PLATEN_WEBHOOK_ALLOWED_NETWORKS',
      read.list('PLATEN_WEBHOOK_ALLOWED_NETWORKS'),
    ),
    rateLimits: readRateLimits(read),
    flow: readFlow(read),
    eventStreams: {
      total: read.integer('PLATEN_EVENT_STREAMS', 2_000, 0, 100_000),
      perUser: read.integer('PLATEN_EVENT_STREAMS_PER_USER', 10, 0, 100_000),
    },
    paymentProvider: read.choice('PLATEN_PAYMENT_PROVIDER', 'manual', ['manual', 'test', 'stripe']),
    stripe: readStripe(read),
    metricsPort:
      env['PLATEN_METRICS_PORT'] === undefined ? undefined : read.integer('PLATEN_METRICS_PORT', 0, 1, 65535),
    logLevel: read.choice('PLATEN_LOG_LEVEL', production ? 'info' : 'warn', [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'silent',
    ]),
    shutdownDelaySeconds: read.integer('PLATEN_SHUTDOWN_DELAY', production ? 5 : 0, 0, 15),
    admin: {
      email: read.text('PLATEN_ADMIN_EMAIL', 'admin@platen.local'),
      password: read.optional('PLATEN_ADMIN_PASSWORD'),
    },
    tokens: {
      accessSeconds: read.seconds('PLATEN_ACCESS_TOKEN_SECONDS', 900),
      refreshSeconds: read.seconds('PLATEN_REFRESH_TOKEN_SECONDS', 2_592_000),
      sessionMaxSeconds: read.seconds('PLATEN_SESSION_MAX_SECONDS', 7_776_000),
      replaySeconds: read.integer('PLATEN_REFRESH_REPLAY_SECONDS', 10, 0, 300),
      stepUpSeconds: read.seconds('PLATEN_STEP_UP_SECONDS', 600),
    },
    login: {
      attempts: read.integer('PLATEN_LOGIN_ATTEMPTS', 5, 1, 1000),
      windowSeconds: read.seconds('PLATEN_LOGIN_WINDOW_SECONDS', 60),
      blockSeconds: read.seconds('PLATEN_LOGIN_BLOCK_SECONDS', 900),
      extendedBlockSeconds: read.seconds('PLATEN_LOGIN_EXTENDED_BLOCK_SECONDS', 86_400),
      blocksBeforeExtended: read.integer('PLATEN_LOGIN_BLOCKS_BEFORE_EXTENDED', 3, 1, 1000),
      attemptsPerIp: read.integer(
        read.nameInUse('PLATEN_LOGIN_ATTEMPTS_PER_IP', 'PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS'),
        20,
        1,
        100_000,
      ),
    },
    deprecated: read.deprecated,
  }
  refuseUnsafe(config)
  return freeze(config)
}

type Reader = ReturnType<typeof reader>

/**
 * Connections that keep so many cores busy: a database does not get faster by more. 30 at most: two processes, each with
 * up to 11 connections beside its pool, and a migration fit into the 97 connections that PostgreSQL leaves to ordinary
 * roles by default.
 */
function defaultPool(cores: number): number {
  return Math.min(30, Math.max(10, 4 * cores))
}

function pageOriginsOf(redirectUris: readonly string[]): string[] {
  const origins = new Set(redirectUris.map((uri) => new URL(uri).origin))
  // An address of an app, such as `com.example:/done`, has no origin that a page could have.
  origins.delete('null')
  return [...origins]
}

function readOptionalUrl(read: Reader, name: string): string | undefined {
  const value = read.optional(name)
  return value === undefined ? undefined : readServiceUrl(name, value)
}

function readSms(read: Reader): SmsService | undefined {
  const url = readOptionalUrl(read, 'PLATEN_SMS_URL')
  const countries = readCountries('PLATEN_SMS_COUNTRIES', read.list('PLATEN_SMS_COUNTRIES'))
  if (url === undefined) return undefined
  if (countries.length === 0) {
    throw new ConfigError(
      'PLATEN_SMS_COUNTRIES',
      'is not set, but PLATEN_SMS_URL is. Name the countries to whose numbers you are ready to pay for messages: DE,FR.',
    )
  }
  return { url, countries }
}

/** Both parts of a client, or neither. */
function readClient(read: Reader, provider: 'GOOGLE' | 'GITHUB'): OAuthClient | undefined {
  const idName = `PLATEN_${provider}_CLIENT_ID`
  const secretName = `PLATEN_${provider}_CLIENT_SECRET`
  const clientId = read.optional(idName)
  const clientSecret = read.either(secretName, `PLATEN_${provider}_SECRET`)
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId === undefined) throw new ConfigError(idName, `is not set, but ${secretName} is.`)
  if (clientSecret === undefined) throw new ConfigError(secretName, `is not set, but ${idName} is.`)
  return { clientId, clientSecret }
}

function readGoogle(read: Reader): Config['google'] {
  const client = readClient(read, 'GOOGLE')
  const issuer = read.either('PLATEN_GOOGLE_ISSUER', 'PLATEN_GOOGLE_CLIENT_ISSUER') ?? 'https://accounts.google.com'
  return client && { ...client, issuer: readServiceUrl('PLATEN_GOOGLE_ISSUER', issuer) }
}

function readGithub(read: Reader): Config['github'] {
  const client = readClient(read, 'GITHUB')
  const url = read.either('PLATEN_GITHUB_URL', 'PLATEN_GITHUB_CLIENT_URL') ?? 'https://github.com'
  const apiUrl = read.either('PLATEN_GITHUB_API_URL', 'PLATEN_GITHUB_CLIENT_API_URL')
  return (
    client && {
      ...client,
      url: readServiceUrl('PLATEN_GITHUB_URL', url),
      // GitHub's own API has a host of its own; an Enterprise server answers below its address.
      apiUrl: readServiceUrl(
        'PLATEN_GITHUB_API_URL',
        apiUrl ?? (url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`),
      ),
    }
  )
}

/** Both parts of a connection to Stripe, or neither. No message repeats what a variable holds. */
function readStripe(read: Reader): Config['stripe'] {
  const secretKey = read.optional('PLATEN_STRIPE_SECRET_KEY')
  const webhookSecret = read.optional('PLATEN_STRIPE_WEBHOOK_SECRET')
  const apiUrl = readServiceUrl('PLATEN_STRIPE_API_URL', read.text('PLATEN_STRIPE_API_URL', 'https://api.stripe.com'))
  if (new URL(apiUrl).origin !== apiUrl) {
    throw new ConfigError(
      'PLATEN_STRIPE_API_URL',
      'must be scheme, host and port only, such as https://api.stripe.com.',
    )
  }
  if (secretKey === undefined && webhookSecret === undefined) return undefined
  if (secretKey === undefined) {
    throw new ConfigError('PLATEN_STRIPE_SECRET_KEY', 'is not set, but PLATEN_STRIPE_WEBHOOK_SECRET is.')
  }
  if (webhookSecret === undefined) {
    throw new ConfigError('PLATEN_STRIPE_WEBHOOK_SECRET', 'is not set, but PLATEN_STRIPE_SECRET_KEY is.')
  }
  if (!/^(sk|rk)_\w+$/.test(secretKey)) {
    throw new ConfigError('PLATEN_STRIPE_SECRET_KEY', 'must be a secret or restricted key of Stripe: sk_... or rk_...')
  }
  if (!/^whsec_\S+$/.test(webhookSecret)) {
    throw new ConfigError('PLATEN_STRIPE_WEBHOOK_SECRET', "must be the signing secret of Stripe's endpoint: whsec_...")
  }
  return { secretKey, webhookSecret, apiUrl }
}

function readRateLimits(read: Reader): Config['rateLimits'] {
  const perMinute = (name: string, fallback: number): number => read.integer(name, fallback, 1, 1_000_000)
  const limits = {
    signedIn: perMinute('PLATEN_RATE_LIMIT_SIGNED_IN', 1200),
    anonymous: perMinute('PLATEN_RATE_LIMIT_ANONYMOUS', 120),
    finalize: perMinute('PLATEN_RATE_LIMIT_FINALIZE', 60),
    upload: perMinute('PLATEN_RATE_LIMIT_UPLOAD', 120),
    incoming: perMinute('PLATEN_RATE_LIMIT_INCOMING', 1200),
  }
  return read.choice('PLATEN_RATE_LIMITS', 'on', ['on', 'off']) === 'on' ? limits : undefined
}

/** Without request limits the number of requests is not limited either; the memory that they may take always is. */
function readFlow(read: Reader): Config['flow'] {
  const counts = {
    requests: read.integer('PLATEN_REQUESTS_IN_FLIGHT', 64, 1, 100_000),
    uploads: read.integer('PLATEN_UPLOADS_IN_FLIGHT', 8, 1, 100_000),
  }
  const totalMebibytes = read.integer('PLATEN_HELD_MIB', 128, 4, 65_536)
  const accountMebibytes = read.integer('PLATEN_HELD_MIB_PER_ACCOUNT', Math.min(32, totalMebibytes), 4, 65_536)
  if (accountMebibytes > totalMebibytes) {
    throw new ConfigError('PLATEN_HELD_MIB_PER_ACCOUNT', `is more than PLATEN_HELD_MIB, which is ${totalMebibytes}.`)
  }
  return {
    ...(readRateLimits(read) === undefined ? { requests: undefined, uploads: undefined } : counts),
    accountBytes: accountMebibytes * 1024 * 1024,
    totalBytes: totalMebibytes * 1024 * 1024,
    stallMs: read.integer('PLATEN_STALL_SECONDS', 30, 1, 600) * 1000,
  }
}

function refuseUnsafe(config: Config): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(config.admin.email))
    throw new ConfigError('PLATEN_ADMIN_EMAIL', `is "${config.admin.email}", which is not an e-mail address.`)
  const adminMinLength = Math.max(12, config.passwordMinLength)
  if (config.admin.password !== undefined && config.admin.password.length < adminMinLength) {
    throw new ConfigError('PLATEN_ADMIN_PASSWORD', `is too short: use ${adminMinLength} characters or more.`)
  }
  const providers = {
    PLATEN_GOOGLE_ISSUER: config.google?.issuer,
    PLATEN_GITHUB_URL: config.github?.url,
    PLATEN_GITHUB_API_URL: config.github?.apiUrl,
  }
  for (const [name, url] of Object.entries(providers)) {
    if (config.production && url?.startsWith('https:') === false)
      throw new ConfigError(name, 'must start with https: when NODE_ENV is production.')
  }
  const services = {
    PLATEN_SMS_URL: config.sms?.url,
    PLATEN_PASSWORD_RANGE_URL: config.passwordRangeUrl,
    PLATEN_SECRET_SCANNING_KEYS_URL: config.secretScanningKeysUrl,
    PLATEN_STRIPE_API_URL: config.stripe?.apiUrl,
  }
  for (const [name, url] of Object.entries(services)) {
    if (config.production && url !== undefined && isExposed(new URL(url)))
      throw new ConfigError(
        name,
        'must start with https: when NODE_ENV is production, unless the service is on this machine.',
      )
  }
  if (config.paymentProvider === 'stripe' && config.stripe === undefined) {
    throw new ConfigError(
      'PLATEN_STRIPE_SECRET_KEY',
      'and PLATEN_STRIPE_WEBHOOK_SECRET are not set, but PLATEN_PAYMENT_PROVIDER is "stripe".',
    )
  }
  if (config.production && config.paymentProvider === 'test') {
    throw new ConfigError('PLATEN_PAYMENT_PROVIDER', 'is "test", which is refused when NODE_ENV is production.')
  }
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member)
  return Object.freeze(value)
}
