import { availableParallelism } from 'node:os'
import { PRESET_NAMES, PRESET_SETTINGS } from '../auth/oauth/provider-settings.ts'
import {
  type OidcProvider,
  oidcVariables,
  providerNames,
  readOidcProvider,
} from '../auth/oauth/providers/oidc/settings.ts'
import { PROVIDER_SETTINGS, type ProviderName } from '../orders/payments/provider-settings.ts'
import { CLIENT_VARIABLES } from './client-variables.ts'
import { checkFonts } from './look/fonts.ts'
import { checkPages, footerLinks } from './look/footer.ts'
import { checkTheme } from './look/theme.ts'
import { TRACING_SETTINGS } from './tracing.ts'
import {
  checkColor,
  checkCountry,
  checkDatabaseUrl,
  checkDomain,
  checkEmail,
  checkNetwork,
  checkOrigin,
  checkPageOrigin,
  checkPageUrl,
  checkProxy,
  checkRedirectUri,
  checkServiceUrl,
  checkShopName,
  checkSmtpUrl,
} from './values/checks.ts'
import { ConfigError } from './values/config-error.ts'
import { checkFolder, checkLogo } from './values/files.ts'
import {
  choice,
  inProduction,
  integer,
  list,
  optional,
  type Setting,
  type SettingsTable,
  seconds,
  text,
  type ValuesOf,
  wholeNumber,
  withDefault,
} from './values/kinds.ts'
import { checkSecretKey, checkSecretKeyFile } from './values/secret-key.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
const MAX_MIB = 1_000_000_000
const perMinute = (fallback: number) => integer(fallback, 1, 1_000_000)

/** Every environment variable that Platen reads as a setting, with its default and the accepted values. */
export const SETTINGS = {
  PLATEN_HOST: text('127.0.0.1'),
  PLATEN_PORT: integer(8080, 0, 65_535),
  PLATEN_PUBLIC_URL: optional(checkOrigin),
  PLATEN_TRUSTED_PROXIES: list(checkProxy),
  PLATEN_METRICS_PORT: optional(wholeNumber(1, 65_535)),
  PLATEN_LOG_LEVEL: inProduction(choice('info', LOG_LEVELS), choice('warn', LOG_LEVELS)),
  PLATEN_PROCESSES: optional(wholeNumber(1, 64)),
  PLATEN_SHUTDOWN_DELAY: inProduction(integer(5, 0, 15), integer(0, 0, 15)),
  ...TRACING_SETTINGS,

  PLATEN_DATA_DIR: text('./data'),
  PLATEN_DATABASE_URL: optional(checkDatabaseUrl),
  PLATEN_DATABASE_DIRECT_URL: optional(checkDatabaseUrl),
  PLATEN_DATABASE_REPLICA_URL: optional(checkDatabaseUrl),
  PLATEN_DATABASE_PREPARED: choice('on', ['on', 'off']),
  PLATEN_DATABASE_POOL: integer(defaultPool(availableParallelism()), 2, 1_000),
  PLATEN_SECRET_KEY: optional(checkSecretKey),
  PLATEN_SECRET_KEY_FILE: optional(checkSecretKeyFile),
  PLATEN_SECRET_KEY_PREVIOUS: optional(checkSecretKey),
  PLATEN_SECRET_KEY_PREVIOUS_FILE: optional(checkSecretKeyFile),
  PLATEN_SLOW_STATEMENT_MS: integer(500, 0, 30_000),
  PLATEN_BACKUP_PASSPHRASE: optional(),
  PLATEN_WAL_ARCHIVE: optional(),
  PLATEN_STORAGE_URL: optional(),
  PLATEN_STORAGE_CACHE_MIB: integer(2_048, 64, 10_000_000),
  PLATEN_STORAGE_QUOTA_MIB: integer(2_048, 0, MAX_MIB),
  PLATEN_STORAGE_FREE_MIB: optional(wholeNumber(0, MAX_MIB)),
  PLATEN_S3_ACCESS_KEY_ID: optional(),
  PLATEN_S3_SECRET_ACCESS_KEY: optional(),
  PLATEN_S3_SESSION_TOKEN: optional(),

  PLATEN_SMTP_URL: optional(checkSmtpUrl),
  PLATEN_MAIL_FROM: optional(),
  PLATEN_SEND: choice('on', ['on', 'off']),
  PLATEN_ORDER_MAILS: choice('on', ['on', 'off']),
  PLATEN_MAIL_TEMPLATES_DIR: optional(checkFolder),
  PLATEN_SMS_URL: optional(checkServiceUrl),
  PLATEN_SMS_COUNTRIES: list(checkCountry),
  PLATEN_SMS_PER_HOUR: integer(200, 1, 1_000_000),

  PLATEN_ADMIN_EMAIL: withDefault('admin@platen.local', checkEmail),
  PLATEN_ADMIN_PASSWORD: optional(),
  PLATEN_REGISTRATION: choice('open', ['open', 'invitation', 'closed']),
  PLATEN_PASSWORD_MIN_LENGTH: integer(12, 8, 128),
  PLATEN_PASSWORD_RANGE_URL: optional(checkServiceUrl),
  PLATEN_SECRET_SCANNING_KEYS_URL: withDefault(
    'https://api.github.com/meta/public_keys/secret_scanning',
    checkServiceUrl,
  ),
  PLATEN_REQUEST_LOG: choice('on', ['on', 'off']),
  PLATEN_AUDIT_DAYS: integer(400, 30, 36_500),
  PLATEN_REDIRECT_URIS: list(checkRedirectUri),
  PLATEN_CORS_ORIGINS: list(checkPageOrigin),
  PLATEN_SHOP_URL: optional(checkPageUrl),
  PLATEN_SHOP_NAME: withDefault('Platen', checkShopName),
  PLATEN_SHOP_LOGO: optional(checkLogo),
  PLATEN_SHOP_COLOR: optional(checkColor),
  PLATEN_SHOP_THEME: withDefault('paper', checkTheme),
  PLATEN_SHOP_FONT: optional(checkFonts),
  PLATEN_SHOP_HEADING_FONT: optional(checkFonts),
  PLATEN_SHOP_LINKS: footerLinks,
  PLATEN_SHOP_PAGES_DIR: optional(checkPages),
  PLATEN_SHOP_PALETTE: list(checkColor),
  PLATEN_PASSKEY_ORIGINS: list(checkOrigin),
  PLATEN_PASSKEY_RP_ID: optional(checkDomain),
  ...tablesOf(PRESET_SETTINGS),
  PLATEN_OIDC_PROVIDERS: providerNames(PRESET_NAMES),
  PLATEN_ACCESS_TOKEN_SECONDS: seconds(900),
  PLATEN_REFRESH_TOKEN_SECONDS: seconds(2_592_000),
  PLATEN_SESSION_MAX_SECONDS: seconds(7_776_000),
  PLATEN_REFRESH_REPLAY_SECONDS: integer(10, 0, 300),
  PLATEN_STEP_UP_SECONDS: seconds(600),
  PLATEN_LOGIN_ATTEMPTS: integer(5, 1, 1_000),
  PLATEN_LOGIN_WINDOW_SECONDS: seconds(60),
  PLATEN_LOGIN_BLOCK_SECONDS: seconds(900),
  PLATEN_LOGIN_EXTENDED_BLOCK_SECONDS: seconds(86_400),
  PLATEN_LOGIN_BLOCKS_BEFORE_EXTENDED: integer(3, 1, 1_000),
  PLATEN_LOGIN_ATTEMPTS_PER_IP: integer(20, 1, 100_000),

  PLATEN_RATE_LIMITS: choice('on', ['on', 'off']),
  PLATEN_RATE_LIMIT_SIGNED_IN: perMinute(1_200),
  PLATEN_RATE_LIMIT_ANONYMOUS: perMinute(120),
  PLATEN_RATE_LIMIT_FINALIZE: perMinute(60),
  PLATEN_RATE_LIMIT_UPLOAD: perMinute(120),
  PLATEN_RATE_LIMIT_INCOMING: perMinute(1_200),
  PLATEN_RATE_LIMIT_LINKS: perMinute(1_200),
  PLATEN_RATE_LIMIT_GUEST: perMinute(30),
  PLATEN_TRANSFER_MIB_PER_SECOND: integer(8, 1, 1_000),
  PLATEN_REQUESTS_IN_FLIGHT: integer(64, 1, 100_000),
  PLATEN_UPLOADS_IN_FLIGHT: integer(8, 1, 100_000),
  PLATEN_HELD_MIB: integer(128, 4, 65_536),
  PLATEN_HELD_MIB_PER_ACCOUNT: optional(wholeNumber(4, 65_536)),
  PLATEN_STALL_SECONDS: integer(30, 1, 600),
  PLATEN_EVENT_STREAMS: integer(2_000, 0, 100_000),
  PLATEN_EVENT_STREAMS_PER_USER: integer(10, 0, 100_000),
  PLATEN_WEBHOOK_ALLOWED_NETWORKS: list(checkNetwork),

  PLATEN_PAYMENT_PROVIDER: choice('manual', ['manual', ...(Object.keys(PROVIDER_SETTINGS) as ProviderName[])]),
  ...tablesOf(PROVIDER_SETTINGS),
} as const

type Name = keyof typeof SETTINGS

/** Other names of some settings, which are accepted, too. */
const ALIASES: Partial<Record<Name, string>> = Object.assign(
  {},
  ...Object.values(PRESET_SETTINGS).map(({ aliases }) => aliases),
)

/** Names that settings had in earlier releases. They are still accepted, with a warning. */
const FORMER_NAMES: Partial<Record<Name, string>> = {
  PLATEN_LOGIN_ATTEMPTS_PER_IP: 'PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS',
}

export type Environment = Readonly<Record<string, string | undefined>>

export type Settings = ValuesOf<typeof SETTINGS> & {
  readonly production: boolean
  /** The providers that `PLATEN_OIDC_PROVIDERS` names. */
  readonly oidcProviders: readonly OidcProvider[]
  /** Warnings for the operator: settings with former names, and variables that are not settings. */
  readonly warnings: readonly string[]
}

/**
 * Reads all settings.
 *
 * @throws {ConfigError} for the first invalid value
 */
export function readSettings(env: Environment): Settings {
  const production = env['NODE_ENV'] === 'production'
  const warnings: string[] = []
  const find = (name: string): string | undefined => {
    const value = env[name]?.trim()
    if (value === '') throw new ConfigError(name, 'is empty. Set a value, or remove the variable.')
    return value
  }
  const entries = (Object.entries(SETTINGS) as [Name, Setting<unknown>][]).map(([name, setting]) => {
    const { [name]: formerName = '' } = FORMER_NAMES
    const formerValue = find(formerName)
    if (formerValue !== undefined) warnings.push(`${formerName} was renamed. Set ${name} instead.`)
    const value = find(name) ?? find(ALIASES[name] ?? '') ?? formerValue
    return [name, setting({ name, value, production })]
  })
  const values = Object.fromEntries(entries) as ValuesOf<typeof SETTINGS>
  const oidcProviders = values.PLATEN_OIDC_PROVIDERS.map((provider) =>
    readOidcProvider(provider, (name) => ({ name, value: find(name), production })),
  )
  const oidcNames = oidcProviders.flatMap(({ name }) => Object.values(oidcVariables(name)))
  const unknown = findUnknown(env, oidcNames)
  warnings.push(...unknown.map((name) => `${name} is not a setting. README.md lists all settings.`))
  return { ...values, oidcProviders, production, warnings }
}

/**
 * Lists variables that begin with `PLATEN_` but are not settings, for example because of a typing error. Variables that
 * begin with `PLATEN_TEST_` are for tests and are ignored.
 */
function findUnknown(env: Environment, oidcNames: readonly string[]): string[] {
  const tableNames = [...Object.keys(SETTINGS), ...Object.values(ALIASES), ...Object.values(FORMER_NAMES)]
  const known = new Set<string>([...tableNames, ...oidcNames, ...CLIENT_VARIABLES])
  return Object.keys(env).filter((name) => /^PLATEN_(?!TEST_)/.test(name) && !known.has(name))
}

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (member: infer All) => void
  ? All
  : never

/** Merges the tables of all providers into one table. */
function tablesOf<Registry extends Readonly<Record<string, { table: SettingsTable }>>>(registry: Registry) {
  type Tables = Intersection<Registry[keyof Registry]['table']>
  return Object.assign({}, ...Object.values(registry).map(({ table }) => table)) as Tables
}

/**
 * Returns the default number of connections. Four per core keep PostgreSQL busy; more would not make it faster. The
 * maximum is 30, because PostgreSQL's default configuration leaves 97 connections to ordinary roles. These must suffice
 * for two processes, each with up to 12 connections besides its pool, and for a migration.
 */
function defaultPool(cores: number): number {
  return Math.min(30, Math.max(10, 4 * cores))
}
