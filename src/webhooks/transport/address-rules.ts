import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** Which addresses may be connected to. Addresses are texts as `node:net` and DNS give them. */
export interface AddressRules {
  /** In one of the networks that the administrator opened. */
  isListed(address: string): boolean
  /** Reachable by everybody: a global unicast address of nobody's own network. */
  isPublic(address: string): boolean
}

/** @param networks addresses, alone or with a prefix length (`10.0.0.0/8`, `::1`) */
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

/** Undefined for what is no address. `::ffff:127.0.0.1` is the IPv4 address that is connected to. */
function parseAddress(address: string): Address | undefined {
  // IPv4-compatible addresses lead nowhere; ipaddr.js would take them for mapped ones, and parts of addresses for whole.
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

/** What IANA has given out for the whole Internet. Everything that a later standard may add lies outside. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3]

/** RFC 6052: IPv4 as hosts without IPv4 of their own see it, by DNS64. The last 32 bits are the address that is reached. */
const NAT64: Network = [ipaddr.parse('64:ff9b::'), 96]

/** Azure answers each of its machines here, with secrets of theirs, though the address is one of the Internet. */
const AZURE_WIRE_SERVER = '168.63.129.16'

function isPublic(address: Address | undefined): boolean {
  if (address === undefined) return false
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== AZURE_WIRE_SERVER
  if (address.zoneId !== undefined) return false
  if (address.match(NAT64)) return isPublic(ipaddr.fromByteArray(address.toByteArray().slice(12)))
  // 6to4 and Teredo, which also carry IPv4 addresses, have ranges of their own and are given up (RFC 7526, RFC 9637).
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}
