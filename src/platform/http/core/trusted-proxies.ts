import { BlockList, isIP } from 'node:net'

/** Networks that Fastify's `trustProxy` knows by name. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Returns a function that tells whether the peer of a connection is a trusted proxy, so that headers with which only
 * proxies may identify requests are read.
 *
 * @param proxies IP addresses and networks of `PLATEN_TRUSTED_PROXIES`
 */
export function createTrustedProxies(proxies: readonly string[]): (remoteAddress: string | undefined) => boolean {
  if (proxies.length === 0) return () => false
  const list = new BlockList()
  for (const entry of proxies.flatMap((proxy) => NAMED[proxy] ?? [proxy])) {
    const [address = '', bits] = entry.split('/', 2)
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (remoteAddress = '') => {
    const family = isIP(remoteAddress)
    if (family === 0) return false
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1]
    if (mapped !== undefined && list.check(mapped, 'ipv4')) return true
    return list.check(remoteAddress, family === 6 ? 'ipv6' : 'ipv4')
  }
}
