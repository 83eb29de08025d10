import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The key by which a client's IP address is counted: IPv4 as it is (also when written as an IPv4-mapped IPv6 address),
 * IPv6 by its /64, since one household or server commands a whole /64.
 */
export function addressKey(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  // ipaddr.js also takes parts of addresses.
  if (isIP(plain) === 0) return address
  const ip = ipaddr.process(plain)
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  const network = ip.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
