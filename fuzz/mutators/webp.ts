import { mutateBytes, mutateList, mutateNumber } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

type Chunk = { type: string; data: Buffer }

const TYPES = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP', 'EXIF', 'XMP ', 'abcd']

/** Changes chunks of a WebP file. The lengths of the chunks stay correct. */
export function mutateWebp(random: Random, input: Buffer, other: Buffer): Buffer {
  let list = chunksOf(input)
  const theirs = other.toString('latin1', 0, 4) === 'RIFF' ? chunksOf(other) : []
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) list = mutateChunks(random, list, theirs)
  const body = Buffer.concat([Buffer.from('WEBP'), ...list.map(write)])
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1')
  head.writeUInt32LE(body.length, 4)
  if (random.chance(0.05)) mutateNumber(random, head, 4, 4, true)
  return Buffer.concat([head, body])
}

function chunksOf(file: Buffer): Chunk[] {
  const found: Chunk[] = []
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4)
    found.push({ type: file.toString('latin1', at, at + 4), data: Buffer.from(file.subarray(at + 8, at + 8 + length)) })
    at += 8 + length + (length & 1)
  }
  return found
}

function write({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)])
}

function mutateChunks(random: Random, list: Chunk[], theirs: Chunk[]): Chunk[] {
  const at = random.below(list.length)
  const replaced = (change: (chunk: Chunk) => Chunk) =>
    list.map((chunk, index) => (index === at ? change(chunk) : chunk))
  switch (random.below(8)) {
    case 0:
      return mutateList(random, list)
    case 1:
      return replaced((chunk) => ({ ...chunk, data: mutateHead(random, chunk) }))
    case 2:
      return theirs.length === 0 ? list : [...list.slice(0, at), random.pick(theirs), ...list.slice(at)]
    case 3:
      return replaced((chunk) => ({ ...chunk, type: random.pick(TYPES) }))
    case 4:
      return [extended(random), ...list.filter(({ type }) => type !== 'VP8X')]
    case 5:
      return [...list.slice(0, at), { type: 'ANMF', data: frameOf(random, list.slice(at)) }]
    default:
      return replaced((chunk) => ({
        ...chunk,
        data: mutateBytes(random, chunk.data, { times: 1 + random.below(20), littleEndian: true }),
      }))
  }
}

/** Changes a number at the start of a chunk. Sizes are at offset 6 in VP8, at 1 in VP8L, and at 4 in VP8X. */
function mutateHead(random: Random, { data }: Chunk): Buffer {
  const copy = Buffer.from(data)
  mutateNumber(random, copy, random.below(Math.min(12, copy.length)), random.pick([1, 2]), true)
  return copy
}

function extended(random: Random): Chunk {
  const data = Buffer.alloc(10)
  data[0] = random.below(64)
  data.writeUIntLE(random.pick([0, 15, 63, 95, 16383, 0xffffff]), 4, 3)
  data.writeUIntLE(random.pick([0, 15, 63, 95, 16383, 0xffffff]), 7, 3)
  return { type: 'VP8X', data }
}

function frameOf(random: Random, inner: Chunk[]): Buffer {
  const head = Buffer.alloc(16)
  for (const at of [0, 3, 6, 9, 12]) head.writeUIntLE(random.pick([0, 1, 47, 63, 95, 1000, 0xffffff]), at, 3)
  head[15] = random.below(4)
  return Buffer.concat([head, ...inner.map(write)])
}
