import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { deflateSync } from 'node:zlib'
import { buildSfnt, viewOf } from './tables.ts'
import { unpackTables } from './unpack.ts'

const require = createRequire(import.meta.url)

/** An installed font file, as WOFF2. */
export function installedWoff2(name = 'inter', file = 'inter-latin-400-normal'): Promise<Buffer> {
  return readFile(require.resolve(`@fontsource/${name}/files/${file}.woff2`))
}

export interface FontChanges {
  /** Null: the font has no names. */
  family?: string | null
  weight?: number
  italic?: boolean
  fsType?: number
  os2Version?: number
  /** Last: whatever else is to be different. */
  edit?: (tables: Map<string, Uint8Array>) => void
}

/** A TrueType font of one's own: Inter under another name, with these changes. */
export async function makeFont(changes: FontChanges = {}): Promise<Buffer> {
  const { family = 'Test Family', weight = 400, italic = false, fsType = 0, os2Version = 4, edit } = changes
  const tables = new Map<string, Uint8Array>()
  for (const [tag, bytes] of await unpackTables(await installedWoff2())) tables.set(tag, Uint8Array.from(bytes))
  const os2 = tableOf(tables, 'OS/2')
  os2.setUint16(0, os2Version)
  os2.setUint16(4, weight)
  os2.setUint16(8, fsType)
  os2.setUint16(62, italic ? 0x01 : 0x40)
  tables.set('name', nameTable(family === null ? [] : [[1, family]]))
  edit?.(tables)
  return Buffer.from(buildSfnt(tables))
}

export function tableOf(tables: ReadonlyMap<string, Uint8Array>, tag: string): DataView {
  const table = tables.get(tag)
  if (table === undefined) throw new Error(`The font has no table ${tag}`)
  return viewOf(table)
}

/** A table "name" with these names, in English for Windows. */
export function nameTable(names: readonly (readonly [id: number, text: string])[]): Uint8Array {
  const texts = names.map(([, text]) => Buffer.from(text, 'utf16le').swap16())
  const head = Buffer.alloc(6 + names.length * 12)
  head.writeUInt16BE(names.length, 2)
  head.writeUInt16BE(head.length, 4)
  let offset = 0
  for (const [i, [id]] of names.entries()) {
    const length = texts[i]?.length ?? 0
    for (const [j, value] of [3, 1, 0x409, id, length, offset].entries()) head.writeUInt16BE(value, 6 + i * 12 + j * 2)
    offset += length
  }
  return Buffer.concat([head, ...texts])
}

/** A font as a WOFF 1.0 file; `declared` replaces the unpacked length of its first table. */
export function toWoff(sfnt: Buffer, { declared }: { declared?: number } = {}): Buffer {
  const count = sfnt.readUInt16BE(4)
  const head = Buffer.alloc(44 + count * 20)
  head.write('wOFF', 0, 'latin1')
  sfnt.copy(head, 4, 0, 4)
  head.writeUInt16BE(count, 12)
  head.writeUInt32BE(sfnt.length, 16)
  const tables: Buffer[] = []
  let offset = head.length
  for (let i = 0; i < count; i++) {
    const entry = 12 + i * 16
    const start = sfnt.readUInt32BE(entry + 8)
    const length = sfnt.readUInt32BE(entry + 12)
    const packed = deflateSync(sfnt.subarray(start, start + length))
    const table = packed.length < length ? packed : sfnt.subarray(start, start + length)
    sfnt.copy(head, 44 + i * 20, entry, entry + 4)
    head.writeUInt32BE(offset, 44 + i * 20 + 4)
    head.writeUInt32BE(table.length, 44 + i * 20 + 8)
    head.writeUInt32BE(i === 0 && declared !== undefined ? declared : length, 44 + i * 20 + 12)
    tables.push(table)
    offset += table.length
  }
  return Buffer.concat([head, ...tables])
}

/** Makes a glyph of a font, and a few bytes at the end of "glyf", a composite of these glyphs. */
export function makeComposite(
  tables: Map<string, Uint8Array>,
  composites: ReadonlyMap<number, readonly number[]>,
): void {
  const numGlyphs = tableOf(tables, 'maxp').getUint16(4)
  const head = tableOf(tables, 'head')
  const isLong = head.getInt16(50) !== 0
  const loca = tableOf(tables, 'loca')
  const old = Buffer.from(tables.get('glyf') ?? [])
  const offsetOf = (glyph: number) => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2)
  const glyphs = Array.from({ length: numGlyphs }, (_, glyph) => {
    const parts = composites.get(glyph)
    return parts === undefined ? old.subarray(offsetOf(glyph), offsetOf(glyph + 1)) : composite(parts)
  })
  const offsets = Buffer.alloc((numGlyphs + 1) * 4)
  let offset = 0
  for (const [glyph, bytes] of glyphs.entries()) {
    offset += bytes.length
    offsets.writeUInt32BE(offset, (glyph + 1) * 4)
  }
  head.setInt16(50, 1)
  tables.set('loca', offsets)
  tables.set('glyf', Buffer.concat(glyphs))
}

function composite(parts: readonly number[]): Buffer {
  const bytes = Buffer.alloc(10 + parts.length * 8)
  bytes.writeInt16BE(-1, 0)
  for (const [i, part] of parts.entries()) {
    const more = i < parts.length - 1 ? 0x20 : 0
    // Offsets are words and given in units.
    for (const [j, value] of [0x0003 | more, part, 0, 0].entries()) bytes.writeUInt16BE(value, 10 + i * 8 + j * 2)
  }
  return bytes
}

/** Writes a font file into a folder that is gone after the test. */
export async function writeFont(t: TestContext, bytes: Uint8Array): Promise<{ path: string; unpackedPath: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-font-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const path = join(dir, 'upload')
  await writeFile(path, bytes)
  return { path, unpackedPath: join(dir, 'font') }
}

/** A table "cmap" that has one glyph stand for all code points of these ranges (format 13). */
export function cmapOf(glyph: number, ranges: readonly (readonly [first: number, last: number])[]): Buffer {
  const length = 16 + ranges.length * 12
  const table = Buffer.alloc(12 + length)
  for (const [i, value] of [0, 1, 3, 10].entries()) table.writeUInt16BE(value, i * 2)
  table.writeUInt32BE(12, 8)
  table.writeUInt16BE(13, 12)
  const numbers = [length, 0, ranges.length, ...ranges.flatMap((range) => [...range, glyph])]
  for (const [i, value] of numbers.entries()) table.writeUInt32BE(value, 16 + i * 4)
  return table
}

/** A table "GSUB" that turns one glyph into many of them wherever it stands. */
export function floodingGsub(glyph: number, count: number): Buffer {
  const words = [
    // Version, offsets of scripts, features and lookups.
    ...[1, 0, 10, 30, 44],
    // One script "DFLT" whose default language has feature 0.
    ...[1, 0x4446, 0x4c54, 8, 4, 0, 0, 0xffff, 1, 0],
    // One feature "ccmp" with lookup 0.
    ...[1, 0x6363, 0x6d70, 8, 0, 1, 0],
    // One lookup of type 2 with one subtable.
    ...[1, 4, 2, 0, 1, 8],
    // Multiple substitution, its coverage behind its one sequence.
    ...[1, 8 + 2 + count * 2, 1, 8, count, ...new Array<number>(count).fill(glyph)],
    ...[1, 1, glyph],
  ]
  const table = Buffer.alloc(words.length * 2)
  for (const [i, word] of words.entries()) table.writeUInt16BE(word, i * 2)
  return table
}

/**
 * A table "GSUB" with so many chained contextual lookups that look at every glyph and its neighbours and match nothing:
 * small, valid, and slow with long texts. 500 of them take 33 kB.
 */
export function chainedGsub(numGlyphs: number, lookups: number): Buffer {
  const neighbours = 8
  // Of a subtable of format 3: all coverages but the last of what follows name one that has every glyph.
  const head = 2 * (2 + neighbours + 2 + 1 + neighbours + 1)
  const every = head
  const none = head + 10
  const subtable = [
    ...[3, neighbours, ...new Array<number>(neighbours).fill(every)],
    ...[1, every],
    ...[neighbours, ...new Array<number>(neighbours - 1).fill(every), none],
    0,
    // Coverage of format 2 with one range, and of format 1 without glyphs.
    ...[2, 1, 0, numGlyphs - 1, 0, 1, 0],
  ]
  // Type 6, no flags, one subtable, behind these four words.
  const lookup = [6, 0, 1, 8, ...subtable]
  const indexes = Array.from({ length: lookups }, (_, index) => index)
  const features = [1, 0x6363, 0x6d70, 8, 0, lookups, ...indexes]
  const words = [
    // Version, offsets of scripts, features and lookups.
    ...[1, 0, 10, 30, 30 + features.length * 2],
    // One script "DFLT" whose default language has feature 0.
    ...[1, 0x4446, 0x4c54, 8, 4, 0, 0, 0xffff, 1, 0],
    // One feature "ccmp" with all lookups.
    ...features,
    ...[lookups, ...indexes.map((index) => 2 + lookups * 2 + index * lookup.length * 2)],
    ...indexes.flatMap(() => lookup),
  ]
  const table = Buffer.alloc(words.length * 2)
  for (const [i, word] of words.entries()) table.writeUInt16BE(word, i * 2)
  return table
}

/** A font that shapes long texts very slowly; see `chainedGsub`. */
export function makeSlow({ lookups = 500, ...changes }: FontChanges & { lookups?: number } = {}): Promise<Buffer> {
  return makeFont({
    ...changes,
    edit: (tables) => {
      tables.set('GSUB', chainedGsub(tableOf(tables, 'maxp').getUint16(4), lookups))
      changes.edit?.(tables)
    },
  })
}

/** A font in which every letter has the shape of another: its widths and outlines differ from those of `makeFont`. */
export function makeMirrored(changes: FontChanges = {}): Promise<Buffer> {
  return makeFont({
    ...changes,
    edit: (tables) => {
      const numGlyphs = tableOf(tables, 'maxp').getUint16(4)
      const entries = Array.from({ length: numGlyphs }, (_, glyph) => [glyph, [numGlyphs - 1 - glyph]] as const)
      // Those of the first half become composites of those of the second.
      makeComposite(tables, new Map(entries.slice(1, Math.floor(numGlyphs / 2))))
      changes.edit?.(tables)
    },
  })
}
