import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/**
 * Rules for the IP addresses to which the service may connect. Addresses are strings as `node:net` and DNS return them.
 */
export interface AddressRules {
  /** Returns whether an address belongs to a network that the administrator allows. */
  isListed(address: string): boolean
  /** Returns whether an address is a global unicast address, which does not belong to a private or special network. */
  isPublic(address: string): boolean
}

/**
 * Makes the rules.
 *
 * @param networks allowed IP addresses, alone or with a prefix length (`10.0.0.0/8`, `::1`)
 */
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

/**
 * Parses an IP address. Returns undefined if the text is not one. An address such as `::ffff:127.0.0.1` becomes the
 * IPv4 address to which a connection would go.
 */
function parseAddress(address: string): Address | undefined {
  // IPv4-compatible addresses are not routed. ipaddr.js would parse them as IPv4-mapped ones.
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

/** The range that IANA allocates for the Internet. Future special ranges will be outside of it. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3]

/** Prefix of NAT64 (RFC 6052). With DNS64, the last 32 bits are the IPv4 address that is reached. */
const NAT64: Network = [ipaddr.parse('64:ff9b::'), 96]

/** An address in a public range at which Azure gives each of its machines secrets of that machine. */
const AZURE_WIRE_SERVER = '168.63.129.16'

function isPublic(address: Address | undefined): boolean {
  if (address === undefined) return false
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== AZURE_WIRE_SERVER
  if (address.zoneId !== undefined) return false
  if (address.match(NAT64)) return isPublic(ipaddr.fromByteArray(address.toByteArray().slice(12)))
  // 6to4 and Teredo addresses also contain IPv4 addresses. They are rejected, because `range()` reports them as
  // separate ranges; both are deprecated (RFC 7526, RFC 9637).
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}
