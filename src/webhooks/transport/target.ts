import { isIP } from 'node:net'
import pTimeout from 'p-timeout'
import type { AddressRules } from './address-rules.ts'
import type { Resolve } from './resolve.ts'

export interface TargetRules {
  addresses: AddressRules
  resolve: Resolve
  /** Allows public IP addresses without encryption. Allowed networks always may be unencrypted. */
  allowHttp: boolean
}

/** Trying all IP addresses of a hostile name would be a scan of other people's networks. */
const MAX_ADDRESSES = 8

/** How long saving an endpoint waits for DNS. */
const CHECK_MS = 3_000

const ENCRYPTED_ONLY = 'The address must start with https://.'

/** A refused target. The endpoint's owner sees the message, so it never names an internal IP address. */
export class RefusedTarget extends Error {
  override name = 'RefusedTarget'
}

/**
 * Parses a receiver's URL in every spelling that browsers accept (`http://0x7f.1`, `http://2130706433`) and makes all
 * checks that need no DNS.
 *
 * @throws {RefusedTarget}
 */
export function parseTarget(text: string, rules: TargetRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new RefusedTarget('The address must start with https:// (or http://).')
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedTarget('The address must not hold a user name or password.')
  }
  // Certificates and Host headers omit the trailing dot of a complete name.
  const hostname = url.hostname.replace(/\.+$/, '')
  if (hostname === '') throw new RefusedTarget('The address names no host.')
  if (hostname !== url.hostname) url.hostname = hostname
  if (url.port === '0') throw new RefusedTarget('Port 0 cannot be connected to.')
  const literal = literalOf(url)
  if (literal !== undefined) chooseAddresses(url, [literal], rules)
  return url
}

/** The literal IP address of a host, without brackets; undefined for a name. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

/**
 * Selects the IP addresses of a host that may be connected to.
 *
 * @throws {RefusedTarget} if there is none
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
      `${hostname} does not lead to a public address; others are sent to only where the administrator allows it.`,
    )
  }
  const chosen = protocol === 'https:' || rules.allowHttp ? allowed : allowed.filter(isListed)
  if (chosen.length === 0) throw new RefusedTarget(ENCRYPTED_ONLY)
  return chosen.slice(0, MAX_ADDRESSES)
}

/**
 * Checks a URL before it is saved. A name without IP addresses is accepted, so that an endpoint can be added before its
 * DNS record; each connection checks again.
 *
 * @returns what is wrong, as a sentence; undefined if it is allowed
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
