import { requireHttps } from '../../../../config/values/checks.ts'
import { ConfigError } from '../../../../config/values/config-error.ts'
import { type Check, list, optional, type Setting, type Variable } from '../../../../config/values/kinds.ts'
import type { OAuthClient } from '../settings.ts'

/** What the service must know of an OpenID provider to use it. */
export interface OidcClient extends OAuthClient {
  issuer: string
}

/** An OpenID provider that `PLATEN_OIDC_PROVIDERS` names. */
export interface OidcProvider extends OidcClient {
  name: string
  /** Name of the provider in mails. */
  title: string
}

/** Names that a provider cannot have, because they are paths below `/v1/api/auth` or methods of security events. */
const RESERVED_NAMES = [
  ...[
    'email',
    'guest',
    'identities',
    'login',
    'logout',
    'mfa',
    'passkey',
    'password',
    'refresh',
    'register',
    'sessions',
    'sms',
  ],
  ...['step-up', 'token', 'totp', 'webauthn', 'factor-reset', 'invitations'],
]

/** Source of a regular expression that matches the names that a provider can have. */
export const PROVIDER_NAME = `(?!(?:${RESERVED_NAMES.join('|')})(?![a-z0-9-]))[a-z][a-z0-9-]{1,30}`

/**
 * Returns the setting for the names of further OpenID providers. A name is part of URLs and is stored with identities,
 * so names of presets and other reserved names are rejected.
 */
export function providerNames(presets: readonly string[]): Setting<readonly string[]> {
  const checkName: Check = (value, { name }) => {
    if (RESERVED_NAMES.includes(value)) throw new ConfigError(name, `names "${value}", which is reserved.`)
    if (presets.includes(value)) {
      throw new ConfigError(name, `names "${value}", which has separate settings: PLATEN_${value.toUpperCase()}_...`)
    }
    if (new RegExp(`^${PROVIDER_NAME}$`).test(value)) return value
    const rule = '2 to 31 lower-case letters, digits and hyphens, of which the first is a letter'
    throw new ConfigError(name, `names "${value}", but takes ${rule}.`)
  }
  return (variable) => {
    const names = list(checkName)(variable)
    const repeated = names.find((name, at) => names.indexOf(name) < at)
    if (repeated !== undefined) throw new ConfigError(variable.name, `names "${repeated}" twice.`)
    return names
  }
}

/** Returns the environment variables of the provider with this name. */
export function oidcVariables(name: string) {
  const prefix = `PLATEN_OIDC_${name.toUpperCase().replaceAll('-', '_')}`
  return {
    issuer: `${prefix}_ISSUER`,
    clientId: `${prefix}_CLIENT_ID`,
    clientSecret: `${prefix}_CLIENT_SECRET`,
    title: `${prefix}_TITLE`,
  }
}

/**
 * Reads the environment variables of a provider.
 *
 * @throws {ConfigError} if a variable is missing or invalid
 */
export function readOidcProvider(name: string, find: (variable: string) => Variable): OidcProvider {
  const { issuer, clientId, clientSecret, title } = oidcVariables(name)
  const require = (variable: string, check: Check = (value) => value): string => {
    const found = find(variable)
    if (found.value !== undefined) return check(found.value, found)
    throw new ConfigError(variable, `is not set, but PLATEN_OIDC_PROVIDERS names "${name}".`)
  }
  return {
    name,
    title: optional(checkTitle)(find(title)) ?? name,
    issuer: require(issuer, checkIssuer),
    clientId: require(clientId),
    clientSecret: require(clientSecret),
  }
}

/**
 * Accepts an issuer identifier (OpenID Connect Discovery, section 3). The text is not changed, because a trailing slash
 * belongs to the identifier.
 */
const checkIssuer: Check = (value, { name, production }) => {
  const url = URL.parse(value)
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    /[?#\s]/.test(value) ||
    `${url.username}${url.password}` !== ''
  ) {
    throw new ConfigError(name, 'must be a URL without user, query and fragment, such as https://id.example.com/realm.')
  }
  if (production) requireHttps(name, value)
  return value
}

/** Accepts a title, which must be one line because it becomes part of the subject of mails. */
const checkTitle: Check = (value, { name }) => {
  if (/^[^\p{C}\p{Zl}\p{Zp}]{1,50}$/u.test(value)) return value
  throw new ConfigError(name, 'must be one line of at most 50 characters.')
}
