import { isIP } from 'node:net'

/** A setting that cannot be used. The message names the variable, what it holds and what it may hold. */
export class ConfigError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
    this.name = 'ConfigError'
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting that was given under its former name. */
export interface DeprecatedSetting {
  name: string
  replacement: string
}

/** Reads single settings; each complains by name about what it cannot use. */
export function reader(env: Environment) {
  const deprecated: DeprecatedSetting[] = []
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
    /** One setting that goes by two names. */
    either: (name: string, other: string): string | undefined => optional(name) ?? optional(other),
    /** The name under which a renamed setting was given; its former name is reported as deprecated. */
    nameInUse: (name: string, formerName: string): string => {
      if (env[formerName] === undefined || env[name] !== undefined) return name
      deprecated.push({ name: formerName, replacement: name })
      return formerName
    },
    deprecated,
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

export function readOrigin(value: string, production: boolean): string {
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

export function readDatabaseUrl(value: string | undefined): string | undefined {
  if (value !== undefined && !/^postgres(ql)?:\/\//.test(value)) {
    throw new ConfigError('PLATEN_DATABASE_URL', 'must start with postgres:// or postgresql://.')
  }
  return value
}

/** Names of networks that the HTTP server knows besides addresses. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

export function readProxies(entries: string[]): string[] {
  for (const entry of entries) {
    if (NAMED_NETWORKS.includes(entry) || isNetwork(entry)) continue
    throw new ConfigError(
      'PLATEN_TRUSTED_PROXIES',
      `names "${entry}", but takes IP addresses, networks such as 10.0.0.0/8, and ${NAMED_NETWORKS.join(', ')}.`,
    )
  }
  return entries
}

export function readNetworks(variable: string, entries: string[]): string[] {
  for (const entry of entries) {
    if (isNetwork(entry) && !entry.includes('%')) continue
    throw new ConfigError(
      variable,
      `names "${entry}", but takes IP addresses and networks, such as 127.0.0.1,10.0.0.0/8,fd00::/8.`,
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

export function readSmtpUrl(value: string | undefined): string | undefined {
  if (value !== undefined && !(/^smtps?:\/\/[^/]+/.test(value) && URL.canParse(value))) {
    throw new ConfigError('PLATEN_SMTP_URL', 'must look like smtp://user:password@host:port or smtps://...')
  }
  return value
}

/** An http or https address of somebody else's service; no trailing slash. */
export function readServiceUrl(variable: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hash !== '') {
    throw new ConfigError(variable, 'must be an address that starts with https:// (or http://).')
  }
  return value.replace(/\/+$/, '')
}

/** Whether what is sent to an address can be read or changed on its way. */
export function isExposed(url: URL): boolean {
  return url.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
}

/** Addresses to which a client may have somebody sent back after a sign-in elsewhere. Compared exactly. */
export function readRedirectUris(values: readonly string[], production: boolean): string[] {
  for (const value of values) {
    const url = URL.canParse(value) ? new URL(value) : undefined
    const isScript = ['javascript:', 'data:', 'blob:', 'file:', 'vbscript:'].includes(url?.protocol ?? '')
    if (url === undefined || isScript || url.hash !== '' || url.username !== '' || value.includes('*')) {
      throw new ConfigError('PLATEN_REDIRECT_URIS', `names "${value}", which is not a full address without # or *.`)
    }
    if (production && isExposed(url)) {
      throw new ConfigError(
        'PLATEN_REDIRECT_URIS',
        `names "${value}", but must use https: when NODE_ENV is production.`,
      )
    }
  }
  return [...values]
}

/** ISO 3166-1 alpha-2 codes. */
export function readCountries(variable: string, values: readonly string[]): string[] {
  for (const value of values) {
    if (!/^[A-Z]{2}$/.test(value)) {
      throw new ConfigError(
        variable,
        `names "${value}", but takes country codes of two capital letters, such as DE,FR.`,
      )
    }
  }
  return [...values]
}
