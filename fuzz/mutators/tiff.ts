import { mutateBytes, mutateList, mutateNumber } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

type Entry = { tag: number; type: number; count: number; value: Buffer }

const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
/** Tags that decoders evaluate, each with values that select different code in decoders. */
const CHOICES: readonly (readonly [tag: number, values: readonly number[]])[] = [
  [256, [0, 1, 16, 17, 65535, 65536, 100000]],
  [257, [0, 1, 16, 17, 65535, 65536, 100000]],
  [258, [1, 2, 4, 6, 8, 10, 12, 14, 16, 24, 32, 64, 0]],
  [
    259,
    [
      1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946, 34661, 34676, 34677, 34712, 34887, 34925, 50000, 50001, 32766, 32809, 32908,
      32909,
    ],
  ],
  [262, [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 32803, 32844, 32845, 34892]],
  [266, [1, 2]],
  [273, [0, 8, 100, 0xffffffff]],
  [274, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [277, [0, 1, 2, 3, 4, 5, 6, 16, 100]],
  [278, [0, 1, 2, 16, 0xffffffff]],
  [279, [0, 1, 10, 0xffffffff]],
  [284, [1, 2, 3]],
  [292, [0, 1, 2, 4, 7]],
  [317, [1, 2, 3, 34892]],
  [320, [0, 1]],
  [322, [0, 1, 8, 16, 32, 64, 4096, 65536]],
  [323, [0, 1, 8, 16, 32, 64, 4096, 65536]],
  [324, [8, 100]],
  [325, [1, 100]],
  [330, [8, 100]],
  [338, [0, 1, 2]],
  [339, [1, 2, 3, 4, 5, 6]],
  [347, [1]],
  [512, [1, 14]],
  [513, [8, 100]],
  [514, [100, 1000]],
  [529, [1]],
  [530, [1, 2, 4, 3, 0]],
  [531, [1, 2]],
  [532, [0, 255]],
  [33550, [1]],
  [34665, [8]],
  [34675, [1]],
  [37724, [1]],
]

/** Changes entries of the first directory of a classic TIFF file. Writes the changed directory after the pixels. */
export function mutateTiff(random: Random, input: Buffer, other: Buffer): Buffer {
  const littleEndian = input[0] === 0x49
  let entries = readEntries(input, littleEndian)
  if (entries.length === 0 || random.chance(0.1)) return mutateBytes(random, input, { littleEndian })
  const theirs = other[0] === input[0] ? readEntries(other, littleEndian) : []
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) entries = mutateEntries(random, entries, theirs, littleEndian)
  const pixels = random.chance(0.4)
    ? Buffer.from(mutateBytes(random, input.subarray(8), { littleEndian }))
    : input.subarray(8)
  return write(random, Buffer.concat([input.subarray(0, 8), pixels]), entries, littleEndian)
}

const read16 = (bytes: Buffer, at: number, little: boolean) =>
  little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
const read32 = (bytes: Buffer, at: number, little: boolean) =>
  little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)

function readEntries(file: Buffer, little: boolean): Entry[] {
  if (file.length < 14) return []
  const start = read32(file, 4, little)
  if (start + 2 > file.length) return []
  const count = read16(file, start, little)
  const found: Entry[] = []
  for (let i = 0; i < Math.min(count, 100); i += 1) {
    const at = start + 2 + i * 12
    if (at + 12 > file.length) break
    const [tag, type, values] = [read16(file, at, little), read16(file, at + 2, little), read32(file, at + 4, little)]
    const bytes = (TYPE_BYTES[type] ?? 1) * values
    const from = bytes <= 4 ? at + 8 : read32(file, at + 8, little)
    if (from + bytes > file.length) continue
    found.push({ tag, type, count: values, value: Buffer.from(file.subarray(from, from + bytes)) })
  }
  return found
}

function entryOf(tag: number, values: readonly number[], little: boolean, type = 4): Entry {
  const size = TYPE_BYTES[type] ?? 4
  const value = Buffer.alloc(values.length * size)
  for (const [index, number] of values.entries()) {
    const cut = number % 2 ** (8 * Math.min(size, 4))
    if (little) value.writeUIntLE(cut, index * size, Math.min(size, 4))
    else value.writeUIntBE(cut, index * size, Math.min(size, 4))
  }
  return { tag, type, count: values.length, value }
}

function mutateEntries(random: Random, entries: Entry[], theirs: Entry[], little: boolean): Entry[] {
  const at = random.below(entries.length)
  switch (random.below(6)) {
    case 0:
      return mutateList(random, entries)
    case 1:
      return entries.map((entry, index) => {
        if (index !== at) return entry
        const value = Buffer.from(entry.value)
        const size = random.pick([1, 2, 4] as const)
        mutateNumber(random, value, random.below(Math.max(1, value.length - size + 1)), size, little)
        return { ...entry, value }
      })
    case 2:
      return entries.map((entry, index) => {
        if (index !== at) return entry
        const count = random.chance(0.5) ? random.pick([0, 1, 2, 3, 4, 0xffff, 0x7fffffff, 0xffffffff]) : entry.count
        return { ...entry, type: random.below(19), count }
      })
    case 3:
      return theirs.length === 0 ? entries : [...entries.filter((_, index) => index !== at), random.pick(theirs)]
    default: {
      const [tag, choices] = random.pick(CHOICES)
      const old = entries.find((entry) => entry.tag === tag)
      const length = random.chance(0.8) ? Math.min(16, Math.max(1, old?.count ?? 1)) : 1 + random.below(5)
      const value = random.pick(choices)
      const values = Array.from({ length }, () => (random.chance(0.9) ? value : random.pick(choices)))
      return [...entries.filter((entry) => entry.tag !== tag), entryOf(tag, values, little, random.chance(0.5) ? 3 : 4)]
    }
  }
}

function write(random: Random, body: Buffer, entries: Entry[], little: boolean): Buffer {
  const parts = [body]
  let end = body.length
  const directory = Buffer.alloc(2 + entries.length * 12 + 4)
  const put16 = (value: number, at: number) =>
    little ? directory.writeUInt16LE(value, at) : directory.writeUInt16BE(value, at)
  const put32 = (value: number, at: number) =>
    little ? directory.writeUInt32LE(value, at) : directory.writeUInt32BE(value, at)
  const sorted = random.chance(0.95) ? [...entries].sort((a, b) => a.tag - b.tag) : entries
  put16(sorted.length, 0)
  for (const [index, { tag, type, count, value }] of sorted.entries()) {
    const at = 2 + index * 12
    put16(tag, at)
    put16(type, at + 2)
    put32(count, at + 4)
    if (value.length <= 4) value.copy(directory, at + 8)
    else {
      put32(end, at + 8)
      parts.push(value)
      end += value.length
    }
  }
  // Sometimes the directory refers to itself as the next directory. Otherwise there is no next directory.
  if (random.chance(0.05)) put32(end, directory.length - 4)
  const file = Buffer.concat([...parts, directory])
  if (little) file.writeUInt32LE(end, 4)
  else file.writeUInt32BE(end, 4)
  return file
}
