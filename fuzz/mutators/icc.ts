import { longs, mutateBytes, mutateList, mutateNumber, words } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

type Tag = { signature: string; data: Buffer }

const SIGNATURES = [
  ...['A2B0', 'A2B1', 'A2B2', 'B2A0', 'B2A1', 'B2A2', 'D2B0', 'B2D0', 'gamt', 'rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC'],
  ...[
    'bTRC',
    'kTRC',
    'wtpt',
    'bkpt',
    'chad',
    'desc',
    'cprt',
    'dmnd',
    'vcgt',
    'ncl2',
    'clrt',
    'pseq',
    'targ',
    'cicp',
    'view',
  ],
]
const CLASSES = ['prtr', 'mntr', 'scnr', 'spac', 'link', 'abst', 'nmcl']
const SPACES = ['RGB ', 'GRAY', 'CMYK', 'Lab ', 'XYZ ', '4CLR', 'FCLR', 'HSV ', 'YCbr']

/** Changes tags of an ICC profile. Then writes a correct tag table and length. */
export function mutateProfile(random: Random, input: Buffer, other: Buffer): Buffer {
  if (input.length < 132 || random.chance(0.05)) return mutateBytes(random, input)
  const header = Buffer.from(input.subarray(0, 128))
  let tags = tagsOf(input)
  const theirs = tagsOf(other)
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) tags = mutateTags(random, tags, theirs)
  if (random.chance(0.15)) mutateHeader(random, header)
  return write(random, header, tags)
}

function tagsOf(profile: Buffer): Tag[] {
  if (profile.length < 132) return []
  const count = Math.min(100, profile.readUInt32BE(128))
  const found: Tag[] = []
  for (let i = 0; i < count && 144 + i * 12 <= profile.length; i += 1) {
    const entry = 132 + i * 12
    const start = profile.readUInt32BE(entry + 4)
    const data = Buffer.from(profile.subarray(start, start + profile.readUInt32BE(entry + 8)))
    found.push({ signature: profile.toString('latin1', entry, entry + 4), data })
  }
  return found
}

function mutateHeader(random: Random, header: Buffer): void {
  switch (random.below(6)) {
    case 0:
      header.write(random.pick(CLASSES), 12, 'latin1')
      return
    case 1:
      header.write(random.pick(SPACES), 16, 'latin1')
      return
    case 2:
      header.write(random.pick(SPACES), 20, 'latin1')
      return
    case 3:
      header[8] = random.pick([2, 4, 5, 1])
      return
    case 4:
      mutateNumber(random, header, 64, 4)
      return
    default:
      mutateNumber(random, header, 4 * random.below(32), 4)
  }
}

function mutateTags(random: Random, tags: Tag[], theirs: Tag[]): Tag[] {
  const at = random.below(tags.length)
  const replaced = (data: (old: Buffer) => Buffer) =>
    tags.map((tag, index) => (index === at ? { ...tag, data: data(tag.data) } : tag))
  switch (random.below(8)) {
    case 0:
      return mutateList(random, tags)
    case 1:
      return replaced((data) => mutateBytes(random, data))
    case 2:
      return replaced((data) => mutateTagHead(random, data))
    case 3:
      return tags.map((tag, index) => (index === at ? { ...tag, signature: random.pick(SIGNATURES) } : tag))
    case 4:
      return theirs.length === 0 ? tags : replaced(() => random.pick(theirs).data)
    case 5:
      return replaced(() => random.pick(tags).data)
    default:
      return replaced(() => newTag(random))
  }
}

/** Changes one of the first numbers of a tag, because they determine the size of the data after them. */
function mutateTagHead(random: Random, data: Buffer): Buffer {
  const copy = Buffer.from(data)
  const size = random.pick([1, 2, 4] as const)
  mutateNumber(random, copy, 8 + random.below(Math.min(44, Math.max(1, copy.length - 8))), size)
  return copy
}

function newTag(random: Random): Buffer {
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random.below(256)))
  const typed = (type: string, ...parts: Buffer[]) => Buffer.concat([Buffer.from(type), Buffer.alloc(4), ...parts])
  switch (random.below(7)) {
    case 0: {
      const count = random.pick([0, 1, 2, 3, 256, 4096, 65535])
      const stated = random.chance(0.8) ? count : random.pick([0x7fffffff, 0xffffffff, count + 1])
      return typed('curv', longs(stated), bytes(count * 2))
    }
    case 1:
      return typed(
        'para',
        words(random.below(7), 0),
        ...Array.from({ length: random.below(8) }, () => fixedNumber(random)),
      )
    case 2:
      return lut(random, bytes, typed)
    case 3:
      return lutAtoB(random, bytes, typed)
    case 4:
      return typed('XYZ ', ...Array.from({ length: 3 * random.below(3) }, () => fixedNumber(random)))
    case 5:
      return typed('mluc', longs(random.pick([0, 1, 1000, 0xffffffff]), 12), bytes(24))
    default:
      return typed('mpet', words(3, 3), longs(random.below(4)), bytes(64))
  }
}

function fixedNumber(random: Random): Buffer {
  return longs(random.pick([0, 1, 0x8000, 0x10000, 0x23333, 0xffff0000, 0x7fffffff, 0x80000000, random.below(0x20000)]))
}

type Typed = (type: string, ...parts: Buffer[]) => Buffer

function lut(random: Random, bytes: (count: number) => Buffer, typed: Typed): Buffer {
  const wide = random.chance(0.5)
  const [inputs, outputs, grid] = [
    random.pick([1, 3, 4, 4, 15]),
    random.pick([1, 3, 4]),
    random.pick([0, 1, 2, 3, 5, 9]),
  ]
  const matrix = Array.from({ length: 9 }, (_, i) =>
    random.chance(0.9) ? longs(i % 4 === 0 ? 0x10000 : 0) : fixedNumber(random),
  )
  const [inEntries, outEntries] = wide
    ? [random.pick([0, 1, 2, 256, 4096, 4097]), random.pick([0, 1, 2, 256])]
    : [256, 256]
  const cells = Math.min(100_000, grid ** Math.min(inputs, 6) * outputs)
  const data = bytes(Math.min(200_000, (inEntries * inputs + cells + outEntries * outputs) * (wide ? 2 : 1)))
  const head = Buffer.from([inputs, outputs, grid, 0])
  return wide
    ? typed('mft2', head, ...matrix, words(inEntries, outEntries), data)
    : typed('mft1', head, ...matrix, data)
}

function lutAtoB(random: Random, bytes: (count: number) => Buffer, typed: Typed): Buffer {
  const [inputs, outputs] = [random.pick([1, 3, 4, 15]), random.pick([1, 3, 4])]
  const offset = () => random.pick([0, 0, 32, 64, 100, 128, 0xffffffff])
  const head = Buffer.from([inputs, outputs, 0, 0])
  const grids = Buffer.from(Array.from({ length: 16 }, (_, i) => (i < inputs ? random.pick([0, 1, 2, 3, 255]) : 0)))
  const curve = typed('curv', longs(random.pick([0, 1, 2])), bytes(4))
  const curves = Array.from({ length: 8 }, () => curve)
  const precision = Buffer.from([random.pick([1, 2, 3]), 0, 0, 0])
  const body = random.pick([
    [...curves, grids, precision, bytes(500)],
    [grids, precision, bytes(300), ...curves],
  ])
  return typed(random.pick(['mAB ', 'mBA ']), head, longs(offset(), offset(), offset(), offset(), offset()), ...body)
}

function write(random: Random, header: Buffer, tags: readonly Tag[]): Buffer {
  const table = Buffer.alloc(4 + tags.length * 12)
  table.writeUInt32BE(tags.length)
  const parts: Buffer[] = []
  let end = 128 + table.length
  for (const [index, { signature, data }] of tags.entries()) {
    const entry = 4 + index * 12
    table.write(signature, entry, 'latin1')
    table.writeUInt32BE(end, entry + 4)
    table.writeUInt32BE(data.length, entry + 8)
    parts.push(data, Buffer.alloc((4 - (data.length % 4)) % 4))
    end += Math.ceil(data.length / 4) * 4
  }
  if (random.chance(0.05)) mutateNumber(random, table, 4 * random.below(table.length / 4), 4)
  header.writeUInt32BE(random.chance(0.98) ? end : random.below(end * 2))
  return Buffer.concat([header, table, ...parts])
}
