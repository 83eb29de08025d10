import { readClientVariables } from '../../../config/client-variables.ts'
import { CommandError, usageError } from '../../command-line/command-error.ts'
import { findProfile } from './profiles.ts'

/** The origin of a service that was started with `npm start` and no settings. */
export const DEFAULT_ORIGIN = 'http://127.0.0.1:8080'

export interface ConnectionOptions {
  profile?: string
  url?: string
  allowHttp?: boolean
}

/** A service, and the API key with which requests are sent to it. */
export interface Connection {
  origin: string
  /** Undefined for requests without a credential. */
  apiKey: string | undefined
  /** Where the key comes from, for messages. */
  keySource: string
}

/** Returns the name of the profile that the options or the environment select. */
export function profileName({ profile }: ConnectionOptions): string {
  const name = profile ?? readClientVariables().profile ?? 'default'
  if (/^[\w.-]{1,64}$/.test(name) && name !== '__proto__') return name
  throw usageError(`The profile '${name}' cannot exist. Use letters, digits, '.', '_' and '-'.`)
}

/**
 * Determines the service and the API key. `PLATEN_API_KEY` takes precedence over the key of the profile, which is only
 * sent to the origin for which it was created.
 *
 * @throws {CommandError} if the key belongs to another origin, or could be read on its way
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const variables = readClientVariables()
  const name = profileName(options)
  const profile = await findProfile(name)
  if (profile === undefined && (options.profile ?? variables.profile) !== undefined) {
    throw new CommandError(`The profile "${name}" does not exist. Run "platen login --profile ${name}".`)
  }
  const url = givenOrigin(options)
  const origin = url ?? (profile === undefined ? DEFAULT_ORIGIN : new URL(profile.url).origin)
  if (variables.apiKey !== undefined) {
    refuseOpenHttp(origin, options)
    return { origin, apiKey: checkKey(variables.apiKey), keySource: 'PLATEN_API_KEY' }
  }
  if (profile === undefined) return { origin, apiKey: undefined, keySource: `the profile "${name}"` }
  if (origin !== new URL(profile.url).origin) {
    throw new CommandError(
      `The profile "${name}" has a key for ${profile.url}, which is not sent to ${origin}. Select another profile with --profile, or sign in with "platen login --profile <name> --url ${origin}".`,
    )
  }
  return { origin, apiKey: profile.apiKey, keySource: `the profile "${name}"` }
}

/** The same as `connect`, for commands that need a key. */
export async function connectWithKey(options: ConnectionOptions): Promise<Connection & { apiKey: string }> {
  const { apiKey, ...connection } = await connect(options)
  if (apiKey !== undefined) return { ...connection, apiKey }
  throw new CommandError(`No API key for ${connection.origin}. Run "platen login", or set PLATEN_API_KEY.`)
}

/** Returns the origin that `--url` or `PLATEN_URL` names. */
export function givenOrigin({ url }: ConnectionOptions): string | undefined {
  const text = url ?? readClientVariables().url
  if (text === undefined) return undefined
  const parsed = URL.parse(text)
  const isOrigin = parsed !== null && /^https?:$/.test(parsed.protocol) && /^\/(v1\/?)?$/.test(parsed.pathname)
  if (isOrigin && parsed.search === '' && parsed.hash === '' && parsed.username === '') return parsed.origin
  const place = url === undefined ? 'PLATEN_URL' : '--url'
  throw usageError(`${place} must be scheme, host and port, such as https://print.example.com, but is '${text}'.`)
}

/** Refuses to send a credential over a network that can be read, unless `--allow-http` permits it. */
export function refuseOpenHttp(origin: string, { allowHttp }: ConnectionOptions): void {
  const { protocol, hostname } = new URL(origin)
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
  if (protocol === 'https:' || isLoopback || allowHttp === true) return
  throw new CommandError(
    `${origin} is not encrypted, so others could read the credential. Use https, or --allow-http in a network that you trust.`,
  )
}

/** Tells whether a value can be a key or a token: text without spaces and control characters. */
export function isCredential(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

function checkKey(key: string): string {
  if (isCredential(key)) return key
  throw usageError('PLATEN_API_KEY is empty, or has characters that no API key has.')
}
