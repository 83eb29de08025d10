import { isIP } from 'node:net'
import type { AddressRules } from './address-rules.ts'
import type { Resolve } from './resolve.ts'

/** Where events may be sent. */
export interface TargetRules {
  addresses: AddressRules
  resolve: Resolve
  /** Whether public addresses may be sent to without encryption. Opened networks always may. */
  allowHttp: boolean
}

/** A name may have many addresses; trying all of a hostile one's would be a scan of other people's networks. */
const MAX_ADDRESSES = 8

/** How long saving an endpoint waits for name servers. */
const CHECK_MS = 3_000

const ENCRYPTED_ONLY = 'The address must start with https://.'

/** A target that must not be sent to. The message is shown to the endpoint's owner: it never names an address of ours. */
export class RefusedTarget extends Error {
  override name = 'RefusedTarget'
}

/**
 * Reads an address of a receiver, in every spelling that a browser takes (`http://0x7f.1`, `http://2130706433`), and judges
 * what can be judged without asking for names.
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
  // Certificates and Host headers do without the dot that ends a complete name.
  const hostname = url.hostname.replace(/\.+$/, '')
  if (hostname === '') throw new RefusedTarget('The address names no host.')
  if (hostname !== url.hostname) url.hostname = hostname
  if (url.port === '0') throw new RefusedTarget('The address names a port that nobody listens on.')
  const literal = literalOf(url)
  if (literal !== undefined) chooseAddresses(url, [literal], rules)
  return url
}

/** The IP address that a host is, without brackets; undefined for a name. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

/**
 * Of the addresses a host has, those that may be connected to.
 *
 * @throws {RefusedTarget} when there is none
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
 * Judges an address before it is saved. A name that has no addresses now is taken: they are judged again at each
 * connection, and an endpoint may be set up before its name is.
 *
 * @returns what is wrong with it, as a sentence; undefined when nothing is
 */
export async function checkTarget(text: string, rules: TargetRules): Promise<string | undefined> {
  try {
    const url = parseTarget(text, rules)
    if (literalOf(url) !== undefined) return undefined
    const found = await resolveWithin(CHECK_MS, rules.resolve(url.hostname))
    if (found !== undefined) chooseAddresses(url, found, rules)
    else if (url.protocol !== 'https:' && !rules.allowHttp) return ENCRYPTED_ONLY
    return undefined
  } catch (error) {
    if (error instanceof RefusedTarget) return error.message
    throw error
  }
}

async function resolveWithin(ms: number, found: Promise<string[]>): Promise<string[] | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), ms)
  })
  try {
    return await Promise.race([found.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}
