import { isIPv4, isIPv6 } from 'node:net'

/**
 * The key by which a client's address is counted: IPv4 as it is (also when written as an IPv4-mapped IPv6 address),
 * IPv6 by its /64, since one household or server commands a whole /64.
 */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined && isIPv4(mapped)) return mapped
  if (isIPv4(address)) return address
  const plain = address.split('%', 1)[0] ?? ''
  if (!isIPv6(plain)) return address
  const groups = expand(plain)
  const [a, b, c, d, e, f, g, h] = groups
  // The same mapping, written in hexadecimal.
  if (a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xffff && g !== undefined && h !== undefined) {
    return [g >> 8, g & 255, h >> 8, h & 255].join('.')
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address. */
function expand(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const text =
    dotted === null
      ? address
      : address.slice(0, dotted.index) +
        [Number(dotted[1]) * 256 + Number(dotted[2]), Number(dotted[3]) * 256 + Number(dotted[4])]
          .map((n) => n.toString(16))
          .join(':')
  const [head = '', tail] = text.split('::')
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const left = parse(head)
  if (tail === undefined) return left
  const right = parse(tail)
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right]
}
