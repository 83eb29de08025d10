import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns the key by which the IP address of a client is counted. IPv4 addresses, including IPv4-mapped IPv6 addresses,
 * count individually. IPv6 addresses count by /64, because one household or server controls a whole /64.
 */
export function addressKey(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  // Returns other texts unchanged, because ipaddr.js also accepts incomplete addresses.
  const version = isIP(plain)
  if (version === 0) return address
  // Node.js accepts IPv4 in one form only, so it needs no conversion.
  if (version === 4) return plain
  const ip = ipaddr.process(plain)
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  const network = ip.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
