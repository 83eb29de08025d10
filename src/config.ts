import { isIP } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Everything that can be set from outside, checked and complete. Durations in seconds. */
export interface Config {
  production: boolean
  /** `{origin}`: scheme, host and port under which clients reach the service; no trailing slash. */
  origin: string
  host: string
  port: number
  dataDir: string
  /** Undefined: the embedded PostgreSQL in the data folder. */
  databaseUrl: string | undefined
  /** Folder in which uploads and print files are kept. */
  storageDir: string
  /** Undefined: mails stay in the outbox. */
  smtpUrl: string | undefined
  mailFrom: string
  trustedProxies: readonly string[]
  /** Requests per minute; undefined where they are not limited. */
  rateLimits: { signedIn: number; anonymous: number; finalize: number; upload: number } | undefined
  paymentProvider: 'manual' | 'test'
  /** Undefined: `/metrics` answers on the main port, for operators. */
  metricsPort: number | undefined
  logLevel: string
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
    attemptsPerAddress: number
  }
}

/** A setting that cannot be used. The message names the variable, what it holds and what it may hold. */
export class ConfigError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
    this.name = 'ConfigError'
  }
}

type Environment = Readonly<Record<string, string | undefined>>

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
  const config: Config = {
    production,
    origin,
    host,
    port,
    dataDir,
    databaseUrl: readDatabaseUrl(read.optional('PLATEN_DATABASE_URL')),
    storageDir: readStorage(read.optional('PLATEN_STORAGE_URL'), dataDir),
    smtpUrl: readSmtpUrl(read.optional('PLATEN_SMTP_URL')),
    mailFrom: read.text('PLATEN_MAIL_FROM', `Platen <no-reply@${new URL(origin).hostname}>`),
    trustedProxies: readProxies(read.list('PLATEN_TRUSTED_PROXIES')),
    rateLimits: readRateLimits(read),
    paymentProvider: read.choice('PLATEN_PAYMENT_PROVIDER', 'manual', ['manual', 'test']),
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
      attemptsPerAddress: read.integer('PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS', 20, 1, 100_000),
    },
  }
  refuseUnsafe(config)
  return freeze(config)
}

function reader(env: Environment) {
  const optional = (name: string): string | undefined => {
    const value = env[name]
    if (value === undefined) return undefined
    if (value.trim() === '') throw new ConfigError(name, 'is empty. Set a value, or leave the variable out.')
    return value.trim()
  }
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = optional(name)
    if (value === undefined) return fallback
    const number = Number(value)
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new ConfigError(name, `is "${value}", but must be a whole number from ${min} to ${max}.`)
    }
    return number
  }
  return {
    optional,
    integer,
    text: (name: string, fallback: string): string => optional(name) ?? fallback,
    seconds: (name: string, fallback: number): number => integer(name, fallback, 1, 315_360_000),
    list: (name: string): string[] =>
      (optional(name) ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    choice: <const T extends string>(name: string, fallback: T, choices: readonly T[]): T => {
      const value = optional(name) ?? fallback
      const found = choices.find((choice) => choice === value)
      if (found === undefined) throw new ConfigError(name, `is "${value}", but must be one of: ${choices.join(', ')}.`)
      return found
    },
  }
}

function readRateLimits(read: ReturnType<typeof reader>): Config['rateLimits'] {
  const perMinute = (name: string, fallback: number): number => read.integer(name, fallback, 1, 1_000_000)
  const limits = {
    signedIn: perMinute('PLATEN_RATE_LIMIT_SIGNED_IN', 1200),
    anonymous: perMinute('PLATEN_RATE_LIMIT_ANONYMOUS', 120),
    finalize: perMinute('PLATEN_RATE_LIMIT_FINALIZE', 60),
    upload: perMinute('PLATEN_RATE_LIMIT_UPLOAD', 120),
  }
  return read.choice('PLATEN_RATE_LIMITS', 'on', ['on', 'off']) === 'on' ? limits : undefined
}

function readOrigin(value: string, production: boolean): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.username !== ''
  ) {
    throw new ConfigError(
      'PLATEN_PUBLIC_URL',
      `is "${value}", but must be scheme, host and port only, such as https://print.example.com.`,
    )
  }
  if (production && url.protocol !== 'https:') {
    throw new ConfigError('PLATEN_PUBLIC_URL', `is "${value}", but must start with https: when NODE_ENV is production.`)
  }
  return url.origin
}

function readDatabaseUrl(value: string | undefined): string | undefined {
  if (value !== undefined && !/^postgres(ql)?:\/\//.test(value)) {
    throw new ConfigError('PLATEN_DATABASE_URL', 'must start with postgres:// or postgresql://.')
  }
  return value
}

function readStorage(value: string | undefined, dataDir: string): string {
  if (value === undefined) return resolve(dataDir, 'storage')
  if (!value.startsWith('file:')) {
    throw new ConfigError(
      'PLATEN_STORAGE_URL',
      `is "${value}", but this version keeps files in a folder only: file:///path/to/folder.`,
    )
  }
  if (!value.startsWith('file://')) {
    const path = value.slice('file:'.length)
    return isAbsolute(path) ? path : resolve(path)
  }
  try {
    return fileURLToPath(value)
  } catch (error) {
    throw new ConfigError(
      'PLATEN_STORAGE_URL',
      `is "${value}", which is not a path: ${(error as Error).message}. Use file:///path/to/folder.`,
    )
  }
}

/** Names of networks that the HTTP server knows besides addresses. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

function readProxies(entries: string[]): string[] {
  for (const entry of entries) {
    if (NAMED_NETWORKS.includes(entry) || isNetwork(entry)) continue
    throw new ConfigError(
      'PLATEN_TRUSTED_PROXIES',
      `names "${entry}", but takes IP addresses, networks such as 10.0.0.0/8, and ${NAMED_NETWORKS.join(', ')}.`,
    )
  }
  return entries
}

/** Whether a text is an IP address, alone or with a prefix length. */
function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  return version !== 0 && Number(prefix ?? 0) <= (version === 4 ? 32 : 128)
}

function readSmtpUrl(value: string | undefined): string | undefined {
  if (value !== undefined && !(/^smtps?:\/\/[^/]+/.test(value) && URL.canParse(value))) {
    throw new ConfigError('PLATEN_SMTP_URL', 'must look like smtp://user:password@host:port or smtps://...')
  }
  return value
}

function refuseUnsafe(config: Config): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(config.admin.email))
    throw new ConfigError('PLATEN_ADMIN_EMAIL', `is "${config.admin.email}", which is not an e-mail address.`)
  if (config.admin.password !== undefined && config.admin.password.length < 12) {
    throw new ConfigError('PLATEN_ADMIN_PASSWORD', 'is too short: use 12 characters or more.')
  }
  if (config.production && config.paymentProvider === 'test') {
    throw new ConfigError('PLATEN_PAYMENT_PROVIDER', 'is "test", which is refused when NODE_ENV is production.')
  }
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member)
  return Object.freeze(value)
}
