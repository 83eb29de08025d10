import { deflateSync, inflateSync } from 'node:zlib'
import { chunks, pngChunk } from '../../src/rendering/images/png.ts'
import { longs, mutateBytes, mutateList, mutateNumber } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'
import { mutateProfile } from './icc.ts'

type Chunk = { type: string; data: Buffer }

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const TYPES = [
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'tEXt'],
  ...['zTXt', 'iTXt', 'bKGD', 'hIST', 'pHYs', 'sPLT', 'eXIf', 'tIME', 'acTL', 'fcTL', 'fdAT', 'oFFs', 'pCAL', 'abcd'],
]
const MAX_INFLATED = 16 * 1024 * 1024

/**
 * Changes chunks of a PNG file. Pixels are changed before they are compressed. The checksums of the chunks stay
 * correct.
 */
export function mutatePng(random: Random, input: Buffer, other: Buffer): Buffer {
  let list: Chunk[] = Array.from(chunks(input), ({ type, data }) => ({ type, data: Buffer.from(data) }))
  const theirs = Array.from(chunks(other), ({ type, data }) => ({ type, data: Buffer.from(data) }))
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) list = mutateChunks(random, list, theirs)
  const file = Buffer.concat([SIGNATURE, ...list.map(({ type, data }) => pngChunk(type, data))])
  return random.chance(0.03) ? mutateBytes(random, file) : file
}

function mutateChunks(random: Random, list: Chunk[], theirs: Chunk[]): Chunk[] {
  switch (random.below(9)) {
    case 0:
      return mutateList(random, list)
    case 1:
      return withHeader(random, list)
    case 2:
    case 3:
      return withPixels(random, list)
    case 4:
      return inserted(random, list, newChunk(random, list))
    case 5:
      return theirs.length === 0 ? list : inserted(random, list, random.pick(theirs))
    case 6:
      return list.map((chunk) => (random.chance(0.3) ? { ...chunk, data: mutateBytes(random, chunk.data) } : chunk))
    case 7:
      return list.map((chunk) => (random.chance(0.1) ? { ...chunk, type: random.pick(TYPES) } : chunk))
    default:
      return splitPixels(random, list)
  }
}

function inserted(random: Random, list: Chunk[], chunk: Chunk): Chunk[] {
  const at = random.below(list.length + 1)
  return [...list.slice(0, at), chunk, ...list.slice(at)]
}

function withHeader(random: Random, list: Chunk[]): Chunk[] {
  return list.map(({ type, data }) => {
    if (type !== 'IHDR' || data.length < 13) return { type, data }
    const header = Buffer.from(data)
    if (random.chance(0.4)) mutateNumber(random, header, random.pick([0, 4]), 4)
    if (random.chance(0.3)) header[8] = random.pick([1, 2, 4, 8, 16, 3, 0])
    if (random.chance(0.3)) header[9] = random.pick([0, 2, 3, 4, 6, 1, 7])
    if (random.chance(0.2)) header[12] = random.below(3)
    if (random.chance(0.05)) header[10] = random.below(3)
    return { type, data: header }
  })
}

function withPixels(random: Random, list: Chunk[]): Chunk[] {
  const pixels = inflated(Buffer.concat(list.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  if (pixels === undefined) return list
  let changed = mutateBytes(random, pixels, { times: 1 + random.below(20) })
  if (random.chance(0.2)) changed = Buffer.concat([changed, Buffer.alloc(random.below(100_000), random.below(256))])
  const idat = {
    type: 'IDAT',
    data: deflateSync(changed, { level: random.pick([0, 1, 9]), windowBits: 9 + random.below(7) }),
  }
  const first = list.findIndex(({ type }) => type === 'IDAT')
  return list.flatMap((chunk, index) => (chunk.type !== 'IDAT' ? [chunk] : index === first ? [idat] : []))
}

function splitPixels(random: Random, list: Chunk[]): Chunk[] {
  return list.flatMap(({ type, data }) => {
    if (type !== 'IDAT') return [{ type, data }]
    const at = random.below(data.length)
    const empty = random.chance(0.5) ? [{ type, data: Buffer.alloc(0) }] : []
    return [{ type, data: data.subarray(0, at) }, ...empty, { type, data: data.subarray(at) }]
  })
}

function newChunk(random: Random, list: Chunk[]): Chunk {
  const type = random.pick(TYPES)
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random.below(256)))
  switch (type) {
    case 'iCCP': {
      const old = list.find((chunk) => chunk.type === 'iCCP')?.data ?? Buffer.alloc(0)
      const profile = inflated(old.subarray(old.indexOf(0) + 2)) ?? bytes(200)
      return { type, data: Buffer.concat([Buffer.from('a\0\0'), deflateSync(mutateProfile(random, profile, profile))]) }
    }
    case 'tRNS':
      return { type, data: bytes(random.pick([1, 2, 6, 255, 256, 257])) }
    case 'PLTE':
      return { type, data: bytes(3 * random.pick([1, 2, 16, 255, 256, 257])) }
    case 'zTXt':
    case 'iTXt':
      return {
        type,
        data: Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(1 + random.below(4_000_000)))]),
      }
    case 'gAMA':
      return { type, data: longs(random.pick([0, 1, 45455, 100000, 999999, 0x7fffffff, 0xffffffff])) }
    case 'cHRM':
      return {
        type,
        data: longs(...Array.from({ length: 8 }, () => random.below(random.pick([10, 100_001, 2 ** 31])))),
      }
    case 'cICP':
      return {
        type,
        data: Buffer.from([random.pick([0, 1, 2, 9, 12]), random.pick([1, 4, 5, 8, 13, 16, 18]), 0, random.below(2)]),
      }
    case 'acTL':
      return { type, data: longs(random.below(5), random.below(3)) }
    default:
      return { type, data: bytes(random.below(64)) }
  }
}

function inflated(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: MAX_INFLATED })
  } catch {
    return undefined
  }
}
