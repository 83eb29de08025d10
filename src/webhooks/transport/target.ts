import { isIP } from 'node:net'
import pTimeout from 'p-timeout'
import type { AddressRules } from './address-rules.ts'
import type { Resolve } from './resolve.ts'

export interface TargetRules {
  addresses: AddressRules
  resolve: Resolve
  /** Whether public IP addresses may be used without encryption. Allowed networks always may. */
  allowHttp: boolean
}

/**
 * Maximum number of IP addresses that are tried. If an attacker's host name had many, trying all would scan other
 * networks.
 */
const MAX_ADDRESSES = 8

/** Time for which saving an endpoint waits for DNS. */
const CHECK_MS = 3_000

const ENCRYPTED_ONLY = 'The URL must start with https://.'

/**
 * Thrown if requests to a target are not allowed. The owner of the endpoint sees the message, so it never contains an
 * internal IP address.
 */
export class RefusedTarget extends Error {
  override name = 'RefusedTarget'
}

/**
 * Parses the URL of a receiver. It understands every spelling of an IP address that browsers accept (`http://0x7f.1`,
 * `http://2130706433`), and makes all checks that need no DNS.
 *
 * @throws {RefusedTarget}
 */
export function parseTarget(text: string, rules: TargetRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new RefusedTarget('The URL must start with https:// (or http://).')
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedTarget('The URL must not contain a user name or password.')
  }
  // The trailing dot of a complete name is removed, because certificates and Host headers do not contain it.
  const hostname = url.hostname.replace(/\.+$/, '')
  if (hostname === '') throw new RefusedTarget('The URL contains no host name.')
  if (hostname !== url.hostname) url.hostname = hostname
  if (url.port === '0') throw new RefusedTarget('Connections to port 0 are not possible.')
  const literal = literalOf(url)
  if (literal !== undefined) chooseAddresses(url, [literal], rules)
  return url
}

/** Returns the IP address if the host of a URL is one, without brackets. Returns undefined for a host name. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

/**
 * Returns the IP addresses of a host to which the service may connect.
 *
 * @throws {RefusedTarget} if no address is allowed
 */
export function chooseAddresses(
  { protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>,
  found: readonly string[],
  rules: TargetRules,
): string[] {
  const { isListed, isPublic } = rules.addresses
  const allowed = found.filter((address) => isListed(address) || isPublic(address))
  if (allowed.length === 0) {
    throw new RefusedTarget(
      `${hostname} does not lead to a public IP address. The administrator allows others with PLATEN_WEBHOOK_ALLOWED_NETWORKS.`,
    )
  }
  const chosen = protocol === 'https:' || rules.allowHttp ? allowed : allowed.filter(isListed)
  if (chosen.length === 0) throw new RefusedTarget(ENCRYPTED_ONLY)
  return chosen.slice(0, MAX_ADDRESSES)
}

/**
 * Checks a URL before it is saved. A name without IP addresses is accepted, so that an endpoint can be added before its
 * DNS record exists. Each connection checks the addresses again.
 *
 * @returns a sentence that says what is wrong; undefined if the URL is allowed
 */
export async function checkTarget(text: string, rules: TargetRules): Promise<string | undefined> {
  try {
    const url = parseTarget(text, rules)
    if (literalOf(url) !== undefined) return undefined
    const found = await pTimeout(rules.resolve(url.hostname), { milliseconds: CHECK_MS }).catch(() => undefined)
    if (found !== undefined) chooseAddresses(url, found, rules)
    else if (url.protocol !== 'https:' && !rules.allowHttp) return ENCRYPTED_ONLY
    return undefined
  } catch (error) {
    if (error instanceof RefusedTarget) return error.message
    throw error
  }
}
