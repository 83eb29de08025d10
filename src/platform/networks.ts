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

/**
 * Returns the /56 of the address key of an IPv6 network. Providers assign a network of this size to a household, which
 * then has 256 address keys. Undefined for other keys: a household has one IPv4 address.
 */
export function householdOf(key: string): string | undefined {
  const [address = ''] = key.split('/', 1)
  if (isIP(address) !== 6) return undefined
  const ip = ipaddr.process(address)
  if (ip instanceof ipaddr.IPv4) return undefined
  const [first = 0, second = 0, third = 0, fourth = 0] = ip.parts
  return `${[first, second, third, fourth & 0xff00].map((group) => group.toString(16)).join(':')}::/56`
}
