import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { mutateBytes, mutateNumber } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

type Table = { flags: number; tag: Buffer; length: number; transformed: number | undefined; data: Buffer }

const HEADER = 48
const ARBITRARY_TAG = 63
const [GLYF, LOCA] = [10, 11]
const MAX_STREAM = 40 * 1024 * 1024

/**
 * Changes the directory of a WOFF2 file, or its tables before they are compressed. The tables include transformed ones.
 */
export function mutateWoff2(random: Random, input: Buffer, other: Buffer): Buffer {
  const parsed = parse(input)
  if (parsed === undefined || random.chance(0.03)) return mutateBytes(random, input)
  const { header } = parsed
  let { tables } = parsed
  const theirs = parse(other)?.tables ?? []
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) tables = mutateTables(random, tables, theirs)
  const file = write(random, header, tables)
  return random.chance(0.03) ? mutateBytes(random, file, { times: 1 }) : file
}

function parse(file: Buffer): { header: Buffer; tables: Table[] } | undefined {
  try {
    let at = HEADER
    const readSize = (): number => {
      let value = 0
      for (let i = 0; i < 5; i += 1) {
        const byte = file.readUInt8(at)
        at += 1
        value = value * 128 + (byte & 0x7f)
        if ((byte & 0x80) === 0) break
      }
      return value
    }
    const entries = Array.from({ length: Math.min(100, file.readUInt16BE(12)) }, () => {
      const flags = file.readUInt8(at)
      const tag = file.subarray(at + 1, (flags & 63) === ARBITRARY_TAG ? at + 5 : at + 1)
      at += 1 + tag.length
      const length = readSize()
      return { flags, tag, length, transformed: isTransformed(flags) ? readSize() : undefined }
    })
    const stream = brotliDecompressSync(file.subarray(at, at + file.readUInt32BE(20)), { maxOutputLength: MAX_STREAM })
    let from = 0
    const tables = entries.map((entry) => {
      const start = from
      from += entry.transformed ?? entry.length
      return { ...entry, data: Buffer.from(stream.subarray(start, from)) }
    })
    return { header: Buffer.from(file.subarray(0, HEADER)), tables }
  } catch {
    return undefined
  }
}

function isTransformed(flags: number): boolean {
  const [table, version] = [flags & 63, flags >> 6]
  return table === GLYF || table === LOCA ? version !== 3 : version !== 0
}

function mutateTables(random: Random, tables: Table[], theirs: Table[]): Table[] {
  const glyf = tables.findIndex(({ flags }) => (flags & 63) === GLYF)
  const at = glyf >= 0 && random.chance(0.5) ? glyf : random.below(tables.length)
  const replaced = (change: (table: Table) => Table) =>
    tables.map((table, index) => (index === at ? change(table) : table))
  switch (random.below(9)) {
    case 0:
      return replaced((table) => ({
        ...table,
        flags: random.chance(0.5)
          ? table.flags ^ (1 << (6 + random.below(2)))
          : (table.flags & 0xc0) | random.below(64),
      }))
    case 1:
      return replaced((table) => ({ ...table, length: changedLength(random, table.length) }))
    case 2:
      return replaced((table) => ({ ...table, transformed: changedLength(random, table.transformed ?? table.length) }))
    case 3:
      return random.chance(0.5)
        ? tables.filter((_, index) => index !== at)
        : [...tables.slice(0, at), ...tables.slice(Math.max(0, at - 1))]
    case 4:
      return theirs.length === 0 ? tables : replaced(() => random.pick(theirs))
    case 5:
      return replaced((table) => ({ ...table, data: mutateStreamSizes(random, table.data) }))
    default:
      return replaced((table) =>
        withData(random, table, mutateBytes(random, table.data, { times: 1 + random.below(12) })),
      )
  }
}

/** Replaces the data of a table. Usually updates the lengths in the directory to match. */
function withData(random: Random, table: Table, data: Buffer): Table {
  if (random.chance(0.1)) return { ...table, data }
  return table.transformed === undefined
    ? { ...table, data, length: data.length }
    : { ...table, data, transformed: data.length }
}

/**
 * Changes a number at the start of a transformed glyf table: the number of glyphs, or the length of one of its seven
 * streams (W3C WOFF2, 5.1).
 */
function mutateStreamSizes(random: Random, data: Buffer): Buffer {
  const copy = Buffer.from(data)
  if (random.chance(0.3)) mutateNumber(random, copy, random.pick([0, 2, 4, 6]), 2)
  else mutateNumber(random, copy, 8 + 4 * random.below(7), 4)
  return copy
}

function changedLength(random: Random, length: number): number {
  return random.pick([
    0,
    1,
    length - 1,
    length + 1,
    length * 2,
    length + 4,
    0xffff,
    1_000_000,
    30_000_000,
    0x7fffffff,
    0xffffffff,
  ])
}

function base128(value: number): Buffer {
  const bytes = [value & 0x7f]
  for (let rest = Math.floor(Math.max(0, value) / 128); rest > 0; rest = Math.floor(rest / 128))
    bytes.unshift((rest & 0x7f) | 0x80)
  return Buffer.from(bytes.slice(-5))
}

function write(random: Random, old: Buffer, tables: readonly Table[]): Buffer {
  const directory = Buffer.concat(
    tables.flatMap(({ flags, tag, length, transformed, data }) => {
      const name =
        (flags & 63) === ARBITRARY_TAG ? Buffer.concat([tag, Buffer.alloc(4)]).subarray(0, 4) : Buffer.alloc(0)
      const sizes = isTransformed(flags) ? [base128(length), base128(transformed ?? data.length)] : [base128(length)]
      return [Buffer.from([flags]), name, ...sizes]
    }),
  )
  const stream = Buffer.concat(tables.map(({ data }) => data))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 }
  const compressed = brotliCompressSync(stream, { params })
  const header = Buffer.from(old)
  header.writeUInt16BE(tables.length, 12)
  header.writeUInt32BE(compressed.length, 20)
  const padding = Buffer.alloc((4 - ((HEADER + directory.length + compressed.length) % 4)) % 4)
  header.writeUInt32BE(HEADER + directory.length + compressed.length + padding.length, 8)
  if (random.chance(0.1)) mutateNumber(random, header, 4 * random.below(12), 4)
  return Buffer.concat([header, directory, compressed, padding])
}
