import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** Which IP addresses may be connected to. Addresses are strings as `node:net` and DNS return them. */
export interface AddressRules {
  /** In one of the networks that the administrator allows. */
  isListed(address: string): boolean
  /** A global unicast address, that is, not of a private or special network. */
  isPublic(address: string): boolean
}

/** @param networks IP addresses, alone or with a prefix length (`10.0.0.0/8`, `::1`) */
export function createAddressRules(networks: readonly string[]): AddressRules {
  const listed = networks.map(parseNetwork)
  return {
    isListed: (address) => {
      const parsed = parseAddress(address)
      return listed.some(([base, bits]) => base.kind() === parsed?.kind() && parsed.match(base, bits))
    },
    isPublic: (address) => isPublic(parseAddress(address)),
  }
}

/** Undefined if it is not an IP address. `::ffff:127.0.0.1` becomes the IPv4 address that is connected to. */
function parseAddress(address: string): Address | undefined {
  // IPv4-compatible addresses are not routed. ipaddr.js would parse them as mapped ones.
  const isCompatible = /^::\d+\.\d+\.\d+\.\d+$/.test(address)
  return isCompatible || isIP(address) === 0 ? undefined : ipaddr.process(address)
}

function parseNetwork(text: string): Network {
  if (!text.includes('/')) {
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  const [base, bits] = ipaddr.parseCIDR(text)
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits]
}

/** The range that IANA allocates for the Internet. Ranges of future standards lie outside of it. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3]

/** RFC 6052: with DNS64, the last 32 bits are the IPv4 address that is reached. */
const NAT64: Network = [ipaddr.parse('64:ff9b::'), 96]

/** Public by number, but within Azure it serves each machine its secrets. */
const AZURE_WIRE_SERVER = '168.63.129.16'

function isPublic(address: Address | undefined): boolean {
  if (address === undefined) return false
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== AZURE_WIRE_SERVER
  if (address.zoneId !== undefined) return false
  if (address.match(NAT64)) return isPublic(ipaddr.fromByteArray(address.toByteArray().slice(12)))
  // 6to4 and Teredo also embed IPv4 addresses. `range()` reports them as ranges of their own, and both are deprecated
  // (RFC 7526, RFC 9637).
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}
