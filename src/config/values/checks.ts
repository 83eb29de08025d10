import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ConfigError } from './config-error.ts'
import type { Check } from './kinds.ts'

export const checkOrigin: Check = (value, { name, production }) => {
  const url = URL.parse(value)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/'
  if (!isOrigin || url.search !== '' || url.username !== '') {
    throw new ConfigError(
      name,
      `is "${value}", but must be scheme, host and port only, such as https://print.example.com.`,
    )
  }
  if (production && url.protocol !== 'https:') {
    throw new ConfigError(name, `is "${value}", but must start with https: when NODE_ENV is production.`)
  }
  return url.origin
}

/** A host name in a pattern, in place of `*`, while the URL parser checks the rest. */
const ANY_HOST = 'platen-any-host'

/** Accepts an origin, or a pattern such as `https://*.example.com`. */
export const checkPageOrigin: Check = (value, variable) => {
  const { name } = variable
  if (value === '*') {
    throw new ConfigError(
      name,
      'is "*", but the service never lets pages of every site call the API. Name each origin, such as https://shop.example.com, or the subdomains of a domain, such as https://*.example.com.',
    )
  }
  if (!value.includes('*')) return checkOrigin(value, variable)
  const [, domain] = /^https?:\/\/\*\.([^*]+)$/.exec(value) ?? []
  const isWide = domain !== undefined && !/^[^.:]+\.[^:]|^localhost(:|$)/.test(domain)
  if (domain === undefined || isWide) {
    throw new ConfigError(
      name,
      `names "${value}", but "*" can only stand for the subdomains of one domain, such as https://*.example.com.`,
    )
  }
  return checkOrigin(value.replace('*', ANY_HOST), variable).replace(ANY_HOST, '*')
}

/** Accepts the URL of a page or folder. Removes trailing slashes. */
export const checkPageUrl: Check = (value, { name, production }) => {
  const url = URL.parse(value)
  const isPage = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (!isPage || url.username !== '' || /[\s?#]/.test(value)) {
    throw new ConfigError(name, `is "${value}", but must be a URL without ? and #, such as https://shop.example.com.`)
  }
  if (production && url.protocol !== 'https:') {
    throw new ConfigError(name, `is "${value}", but must start with https: when NODE_ENV is production.`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Accepts a name that mails, authenticator apps and passkeys can show. */
export const checkShopName: Check = (value, { name }) => {
  if (/^[^\p{Cc}\p{Zl}\p{Zp}"<>\\:]{1,60}$/u.test(value)) return value
  throw new ConfigError(
    name,
    'must have 1 to 60 characters, without control characters, quotes, <, >, : and backslash.',
  )
}

/** Accepts an opaque sRGB colour, and returns it in lower case. */
export const checkColor: Check = (value, { name }) => {
  if (/^#[\da-f]{6}$/i.test(value)) return value.toLowerCase()
  throw new ConfigError(name, `is "${value}", but must be a colour such as #2444c8.`)
}

/** Accepts a domain name as the relying party of passkeys. */
export const checkDomain: Check = (value, { name }) => {
  const url = URL.parse(`https://${value}`)
  const isDomain = url !== null && url.host === value && /[a-z]$/.test(value)
  if (isDomain && (value.includes('.') || value === 'localhost')) return value
  throw new ConfigError(name, `is "${value}", but must be a domain name in lower case, such as example.com.`)
}

export const checkDatabaseUrl: Check = (value, { name }) => {
  if (/^postgres(ql)?:\/\//.test(value)) return value
  throw new ConfigError(name, 'must start with postgres:// or postgresql://.')
}

export const checkSmtpUrl: Check = (value, { name }) => {
  if (/^smtps?:\/\/[^/]+/.test(value) && URL.canParse(value)) return value
  throw new ConfigError(name, 'must look like smtp://user:password@host:port or smtps://...')
}

export const checkEmail: Check = (value, { name }) => {
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return value
  throw new ConfigError(name, `is "${value}", which is not an email address.`)
}

/** Accepts the http or https URL of another company's service, and removes trailing slashes. */
export const checkServiceUrl: Check = (value, { name }) => {
  const url = URL.parse(value)
  if (url !== null && /^https?:$/.test(url.protocol) && url.hash === '') return value.replace(/\/+$/, '')
  throw new ConfigError(name, 'must be a URL that starts with https:// (or http://).')
}

/** Names of networks that Fastify's `trustProxy` accepts. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

export const checkProxy: Check = (value, { name }) => {
  if (NAMED_NETWORKS.includes(value) || isNetwork(value)) return value
  throw new ConfigError(
    name,
    `names "${value}", but takes IP addresses, networks such as 10.0.0.0/8, and ${NAMED_NETWORKS.join(', ')}.`,
  )
}

export const checkNetwork: Check = (value, { name }) => {
  if (isNetwork(value) && !value.includes('%')) return value
  throw new ConfigError(
    name,
    `names "${value}", but takes IP addresses and networks, such as 127.0.0.1,10.0.0.0/8,fd00::/8.`,
  )
}

/** Returns whether a text is an IP address, alone or with a prefix length. */
function isNetwork(text: string): boolean {
  return isIP(text) !== 0 || ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)
}

/**
 * Returns whether others could read or change the traffic to a URL. They could if it is unencrypted and leaves this
 * machine.
 */
export function isExposed(url: URL): boolean {
  return url.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
}

/** Rejects a URL to which data would travel unprotected. @throws {ConfigError} */
export function refuseExposed(name: string, url: string): void {
  if (!isExposed(new URL(url))) return
  throw new ConfigError(
    name,
    'must start with https: when NODE_ENV is production, unless the service is on this machine.',
  )
}

/** Rejects a URL without TLS. @throws {ConfigError} */
export function requireHttps(name: string, url: string): void {
  if (!url.startsWith('https:')) throw new ConfigError(name, 'must start with https: when NODE_ENV is production.')
}

const SCRIPT_SCHEMES = ['javascript:', 'data:', 'blob:', 'file:', 'vbscript:']

export const checkRedirectUri: Check = (value, { name, production }) => {
  const url = URL.parse(value)
  const isScript = SCRIPT_SCHEMES.includes(url?.protocol ?? '')
  if (url === null || isScript || url.hash !== '' || url.username !== '' || value.includes('*')) {
    throw new ConfigError(name, `names "${value}", which is not a full URL without # or *.`)
  }
  if (production && isExposed(url)) {
    throw new ConfigError(name, `names "${value}", but must use https: when NODE_ENV is production.`)
  }
  return value
}

export const checkCountry: Check = (value, { name }) => {
  if (/^[A-Z]{2}$/.test(value)) return value
  throw new ConfigError(name, `names "${value}", but takes country codes of two capital letters, such as DE,FR.`)
}
