import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns the network of an address key (`addressKey`): the /24 of an IPv4 address, the /48 of an IPv6 network. A client
 * can rent a whole network of this size. Keys that are no address are networks of their own.
 */
export function networkOf(key: string): string {
  const [address = ''] = key.split('/', 1)
  const version = isIP(address)
  if (version === 0) return key
  // Node.js accepts IPv4 in one form only, so it needs no conversion.
  if (version === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  const ip = ipaddr.process(address)
  if (ip instanceof ipaddr.IPv4) return `${ip.octets.slice(0, 3).join('.')}.0/24`
  const network = ip.parts.slice(0, 3).map((group) => group.toString(16))
  return `${network.join(':')}::/48`
}
