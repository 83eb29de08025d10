import type { Random } from './random.ts'

const INTERESTING = [
  0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 1000, 4095, 4096, 0x7fff, 0x8000, 0xfffe,
  0xffff,
]
const INTERESTING_LONG = [0x10000, 0xffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x01000000]

/**
 * Replaces the unsigned number at an offset, in the given byte order, by a number that parsers often handle
 * incorrectly.
 */
export function mutateNumber(random: Random, bytes: Buffer, at: number, size: 1 | 2 | 4, littleEndian = false): void {
  if (at < 0 || at + size > bytes.length) return
  const old = littleEndian ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size)
  const value = nextValue(random, old, bytes.length, size) % 2 ** (8 * size)
  const unsigned = value < 0 ? value + 2 ** (8 * size) : value
  if (littleEndian) bytes.writeUIntLE(unsigned, at, size)
  else bytes.writeUIntBE(unsigned, at, size)
}

function nextValue(random: Random, old: number, length: number, size: number): number {
  switch (random.below(8)) {
    case 0:
      return old + 1 + random.below(4)
    case 1:
      return old - 1 - random.below(4)
    case 2:
      return size === 4 ? random.pick([...INTERESTING, ...INTERESTING_LONG]) : random.pick(INTERESTING)
    case 3:
      return old ^ (1 << random.below(Math.min(31, size * 8)))
    case 4:
      return old * 2
    case 5:
      return random.below(length + 1)
    case 6:
      return length - random.below(16)
    default:
      return random.below(2 ** (8 * Math.min(size, 3)))
  }
}

/**
 * Changes a few places of a copy of the input: numbers, single bytes, repeated or moved parts. Favours the first 64
 * bytes.
 */
export function mutateBytes(
  random: Random,
  input: Uint8Array,
  { times = 1 + random.below(4), littleEndian = false } = {},
): Buffer {
  let bytes: Buffer = Buffer.from(input)
  for (let i = 0; i < times && bytes.length > 0; i += 1) bytes = mutateOnce(random, bytes, littleEndian)
  return bytes
}

function mutateOnce(random: Random, bytes: Buffer, littleEndian: boolean): Buffer {
  const end = random.chance(0.4) ? Math.min(64, bytes.length) : bytes.length
  const at = random.below(end)
  const length = 1 + random.below(Math.min(64, bytes.length - at))
  switch (random.below(12)) {
    case 0:
      bytes[at] = random.below(256)
      return bytes
    case 1:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
      return bytes
    case 2:
      mutateNumber(random, bytes, at & ~3, 4, littleEndian)
      return bytes
    case 3:
      bytes.copy(bytes, random.below(bytes.length), at, at + length)
      return bytes
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 5:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
    case 6:
      bytes.fill(random.pick([0, 0xff, 0x80, 1]), at, at + length)
      return bytes
    case 7:
      return random.chance(0.2) ? Buffer.from(bytes.subarray(0, at)) : bytes
    default:
      mutateNumber(random, bytes, at & ~1, 2, littleEndian)
      return bytes
  }
}

/** Encodes 16-bit numbers, most significant byte first. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2)
  return bytes
}

/** Encodes 32-bit numbers, most significant byte first. */
export function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}

/** Removes a random item of a list, inserts a copy of one, or swaps two. */
export function mutateList<Value>(random: Random, list: readonly Value[]): Value[] {
  const copy = [...list]
  const [a, b] = [random.below(copy.length), random.below(copy.length)]
  const [first, second] = [copy[a], copy[b]]
  if (first === undefined || second === undefined) return copy
  switch (random.below(3)) {
    case 0:
      copy.splice(a, 1)
      return copy
    case 1:
      copy.splice(b, 0, first)
      return copy
    default:
      copy[a] = second
      copy[b] = first
      return copy
  }
}
