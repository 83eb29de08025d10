import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { deflateSync } from 'node:zlib'
import { readParts } from './composite.ts'
import { buildSfnt, viewOf } from './sfnt/tables.ts'
import { unpackTables } from './unpack.ts'

const require = createRequire(import.meta.url)

/** Reads an installed font file in WOFF2 format. */
export function installedWoff2(name = 'inter', file = 'inter-latin-400-normal'): Promise<Buffer> {
  return readFile(require.resolve(`@fontsource/${name}/files/${file}.woff2`))
}

export interface FontChanges {
  /** The family name. With null, the font has no names. */
  family?: string | null
  weight?: number
  italic?: boolean
  fsType?: number
  os2Version?: number
  /** Changes the tables after all other changes. */
  edit?: (tables: Map<string, Uint8Array>) => void
}

/** Makes a TrueType font: a copy of Inter with another name and the given changes. */
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

/** Writes a table "name" with the given names, in English for Windows. */
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

/** Packs a font as a WOFF 1.0 file. `declared` replaces the unpacked length of its first table. */
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

/** Turns glyphs of a font into composites of the listed glyphs. Each composite takes a few bytes in "glyf". */
export function makeComposite(
  tables: Map<string, Uint8Array>,
  composites: ReadonlyMap<number, readonly number[]>,
): void {
  replaceGlyphs(tables, new Map(Array.from(composites, ([glyph, parts]) => [glyph, composite(parts)])))
}

/** Replaces the outlines of glyphs by the given bytes. */
export function replaceGlyphs(tables: Map<string, Uint8Array>, replaced: ReadonlyMap<number, Uint8Array>): void {
  const numGlyphs = tableOf(tables, 'maxp').getUint16(4)
  const isLong = tableOf(tables, 'head').getInt16(50) !== 0
  const loca = tableOf(tables, 'loca')
  const old = Buffer.from(tables.get('glyf') ?? [])
  const offsetOf = (glyph: number) => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2)
  setGlyphs(
    tables,
    Array.from(
      { length: numGlyphs },
      (_, glyph) => replaced.get(glyph) ?? old.subarray(offsetOf(glyph), offsetOf(glyph + 1)),
    ),
  )
}

/** Makes the outline of a glyph with one contour, all of whose points are in one place. It takes few bytes. */
export function outlineOf(points: number): Uint8Array {
  const header = Buffer.alloc(14)
  header.writeInt16BE(1, 0)
  header.writeUInt16BE(points - 1, 10)
  // A flag: on the curve, with the coordinates of the point before, and repeated as often as the next byte states.
  const run = (length: number) => [0x39, length - 1]
  const flags = Array.from({ length: Math.ceil(points / 256) }, (_, i) => run(Math.min(256, points - i * 256))).flat()
  return Buffer.concat([header, Buffer.from(flags)])
}

/** Adds a program to each glyph. Fonts that are hinted for screens have such programs. */
export function addPrograms(tables: Map<string, Uint8Array>, program: Uint8Array): void {
  const numGlyphs = tableOf(tables, 'maxp').getUint16(4)
  const loca = tableOf(tables, 'loca')
  const isLong = tableOf(tables, 'head').getInt16(50) !== 0
  const old = Buffer.from(tables.get('glyf') ?? [])
  const offsetOf = (glyph: number) => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2)
  const glyphs = Array.from({ length: numGlyphs }, (_, glyph) =>
    withProgram(old.subarray(offsetOf(glyph), offsetOf(glyph + 1)), program),
  )
  setGlyphs(tables, glyphs)
  const maxp = tableOf(tables, 'maxp')
  for (let at = 14; at <= 26; at += 2) maxp.setUint16(at, 2)
  for (const tag of ['fpgm', 'prep', 'cvt ', 'gasp']) tables.set(tag, program)
}

function withProgram(glyph: Buffer, program: Uint8Array): Buffer {
  if (glyph.length === 0) return glyph
  const contours = glyph.readInt16BE(0)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(program.length)
  if (contours >= 0) {
    const at = 10 + contours * 2
    // The glyphs of the source font have no programs, so the program is inserted.
    return Buffer.concat([glyph.subarray(0, at), length, program, glyph.subarray(at + 2)])
  }
  const { parts, end } = readParts(viewOf(glyph), 0, glyph.length)
  const changed = Buffer.from(glyph.subarray(0, end))
  const last = parts.at(-1)
  if (last !== undefined) changed.writeUInt16BE(last.flags | 0x0100, last.at)
  return Buffer.concat([changed, length, program])
}

function setGlyphs(tables: Map<string, Uint8Array>, glyphs: readonly Uint8Array[]): void {
  const offsets = Buffer.alloc((glyphs.length + 1) * 4)
  let offset = 0
  for (const [glyph, bytes] of glyphs.entries()) {
    offset += bytes.length
    offsets.writeUInt32BE(offset, (glyph + 1) * 4)
  }
  tableOf(tables, 'head').setInt16(50, 1)
  tables.set('loca', offsets)
  tables.set('glyf', Buffer.concat(glyphs))
}

function composite(parts: readonly number[]): Buffer {
  const bytes = Buffer.alloc(10 + parts.length * 8)
  bytes.writeInt16BE(-1, 0)
  for (const [i, part] of parts.entries()) {
    const more = i < parts.length - 1 ? 0x20 : 0
    // Each component has offsets of 16 bits, in font units.
    for (const [j, value] of [0x0003 | more, part, 0, 0].entries()) bytes.writeUInt16BE(value, 10 + i * 8 + j * 2)
  }
  return bytes
}

/** Writes a font file into a temporary folder, which is removed after the test. */
export async function writeFont(t: TestContext, bytes: Uint8Array): Promise<{ path: string; unpackedPath: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-font-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const path = join(dir, 'upload')
  await writeFile(path, bytes)
  return { path, unpackedPath: join(dir, 'font') }
}

/** Writes a table "cmap" that maps all code points of the given ranges to one glyph (format 13). */
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

/** Writes a table "GSUB" that replaces a glyph by `count` copies of it. */
export function floodingGsub(glyph: number, count: number): Buffer {
  const words = [
    // The first words are the version, and the offsets of scripts, features and lookups.
    ...[1, 0, 10, 30, 44],
    ...DEFAULT_SCRIPT,
    // The next words are one feature, "ccmp", with lookup 0.
    ...[1, 0x6363, 0x6d70, 8, 0, 1, 0],
    // The next words are one lookup of type 2 with one subtable.
    ...[1, 4, 2, 0, 1, 8],
    // The last words are a multiple substitution with one sequence, and its coverage table.
    ...[1, 8 + 2 + count * 2, 1, 8, count, ...new Array<number>(count).fill(glyph)],
    ...[1, 1, glyph],
  ]
  const table = Buffer.alloc(words.length * 2)
  for (const [i, word] of words.entries()) table.writeUInt16BE(word, i * 2)
  return table
}

/**
 * Makes a font that takes half a minute or more of processor time for a text of 10,000 letters, but only some
 * milliseconds for a word. Even on the fastest computer, the text takes several times the longest deadline of a test.
 */
export function makeSlow(changes: FontChanges = {}): Promise<Buffer> {
  return makeFont({
    ...changes,
    edit: (tables) => {
      tables.set('GSUB', slowGsub({ lookups: 4_000, context: 60, shared: true }))
      changes.edit?.(tables)
    },
  })
}

/** A script "DFLT" whose default language has feature 0. */
const DEFAULT_SCRIPT = [1, 0x4446, 0x4c54, 8, 4, 0, 0, 0xffff, 1, 0]

/**
 * Writes a table "GSUB" with one feature, "calt", and the given lookups. The caller computes the offsets within a
 * lookup.
 */
function contextualGsub(lookups: readonly (readonly number[])[], shared: readonly number[] = []): Buffer {
  const count = lookups.length
  const feature = [1, 0x6361, 0x6c74, 8, 0, count, ...lookups.keys()]
  const featuresAt = 10 + DEFAULT_SCRIPT.length * 2
  const listAt = featuresAt + feature.length * 2
  let offset = 2 + count * 2
  const offsets = lookups.map((lookup) => {
    const at = offset
    offset += lookup.length * 2
    return at
  })
  const words = [
    1,
    0,
    10,
    featuresAt,
    listAt,
    ...DEFAULT_SCRIPT,
    ...feature,
    count,
    ...offsets,
    ...lookups.flat(),
    ...shared,
  ]
  return Buffer.from(Uint16Array.from(words).buffer).swap16()
}

/**
 * Writes a table "GSUB" of chained contextual lookups (format 3). Each lookup compares a letter with the `context`
 * letters after it. The lookups never apply, because no glyph of the font matches the last comparison.
 *
 * @param options `glyphs` are the first and the last glyph at which the lookups begin. With `shared`, all lookups share
 * one subtable, which makes the table small
 */
export function slowGsub(options: {
  lookups: number
  context: number
  glyphs?: readonly [first: number, last: number]
  shared?: boolean
}): Buffer {
  const { lookups, context, glyphs = [0, 0xfff0], shared = false } = options
  const lookupWords = 4
  const subtableWords = 7 + context
  // `coverageAt` is the distance from the subtable to three coverage tables: all glyphs, a glyph that no letter has,
  // and the glyphs at which the lookups begin.
  const subtable = (coverageAt: number) => {
    const ahead = [...new Array<number>(context).fill(coverageAt), coverageAt + 10]
    return [...[3, 0, 1, coverageAt + 16, ahead.length], ...ahead, 0]
  }
  const coverages = [...[2, 1, 0, 0xfff0, 0], ...[1, 1, 0xfff1], ...[2, 1, ...glyphs, 0]]
  if (shared) {
    const calls = Array.from({ length: lookups }, (_, i) => [6, 0, 1, (lookups - i) * lookupWords * 2])
    return contextualGsub(calls, [...subtable(subtableWords * 2), ...coverages])
  }
  const words = lookupWords + subtableWords
  return contextualGsub(
    Array.from({ length: lookups }, (_, i) => [6, 0, 1, 8, ...subtable(((lookups - i) * words - lookupWords) * 2)]),
    coverages,
  )
}

/**
 * Writes a table "GSUB" of contextual lookups (format 3). Each lookup applies to every glyph and calls the lookups in
 * its list.
 */
export function callingGsub(calls: readonly (readonly number[])[]): Buffer {
  return contextualGsub(
    calls.map((called) => {
      const coverageAt = 8 + called.length * 4
      const subtable = [
        3,
        1,
        called.length,
        coverageAt,
        ...called.flatMap((lookup) => [0, lookup]),
        ...[2, 1, 0, 0xfff0, 0],
      ]
      return [5, 0, 1, 8, ...subtable]
    }),
  )
}

/**
 * Makes a font in which every letter has the shape of another letter, so that its widths and outlines differ from those
 * of `makeFont`.
 */
export function makeMirrored(changes: FontChanges = {}): Promise<Buffer> {
  return makeFont({
    ...changes,
    edit: (tables) => {
      const numGlyphs = tableOf(tables, 'maxp').getUint16(4)
      const entries = Array.from({ length: numGlyphs }, (_, glyph) => [glyph, [numGlyphs - 1 - glyph]] as const)
      // The glyphs of the first half become composites of glyphs of the second half.
      makeComposite(tables, new Map(entries.slice(1, Math.floor(numGlyphs / 2))))
      changes.edit?.(tables)
    },
  })
}

/** Moves to (100, 100) and draws a square of 400 units. */
const SQUARE = Buffer.from([239, 239, 21, 248, 36, 6, 248, 36, 7, 252, 36, 6])
const END_OF_GLYPH = Buffer.from([14])

/** Writes a table "CFF " with the given number of glyphs. Each glyph except the first is a square. */
export function squareCff(numGlyphs: number): Buffer {
  return writeCff(numGlyphs, { lastGlyph: SQUARE, subroutines: [] })
}

/**
 * Writes a table "CFF " like `squareCff`. The last glyph is a square too, but first takes billions of steps:
 * subroutines of eight levels, each of which calls the next sixteen times.
 */
export function nestedCff(numGlyphs: number): Buffer {
  const call = (subroutine: number) => Buffer.from([subroutine - 107 + 139, 29])
  const levels = 8
  const end = Buffer.from([11])
  const subroutines = Array.from({ length: levels }, (_, level) => {
    const step = level === 0 ? Buffer.from([139, 12, 18]) : call(level - 1)
    return Buffer.concat([...Array.from({ length: 16 }, () => step), end])
  })
  return writeCff(numGlyphs, { lastGlyph: Buffer.concat([call(levels - 1), SQUARE]), subroutines })
}

function writeCff(
  numGlyphs: number,
  { lastGlyph, subroutines }: { lastGlyph: Buffer; subroutines: readonly Buffer[] },
): Buffer {
  const programOf = (glyph: number) => (glyph === 0 ? Buffer.alloc(0) : glyph === numGlyphs - 1 ? lastGlyph : SQUARE)
  const charStrings = cffIndex(
    Array.from({ length: numGlyphs }, (_, glyph) => Buffer.concat([programOf(glyph), END_OF_GLYPH])),
  )
  const charset = Buffer.alloc(5)
  charset.writeUInt8(2, 0)
  charset.writeUInt16BE(1, 1)
  charset.writeUInt16BE(numGlyphs - 2, 3)
  const names = cffIndex([Buffer.from('Squares')])
  const strings = cffIndex([])
  const globalSubroutines = cffIndex(subroutines)
  // Each offset takes five bytes, so that the length of the dictionary does not depend on the offsets.
  const dictLength = 18
  const start = 4 + names.length + (5 + dictLength) + strings.length + globalSubroutines.length
  const integer = (value: number) => {
    const bytes = Buffer.alloc(5, 29)
    bytes.writeInt32BE(value, 1)
    return bytes
  }
  const dict = Buffer.concat([
    ...[integer(start), Buffer.from([15])],
    ...[integer(start + charset.length), Buffer.from([17])],
    ...[integer(0), Buffer.from([16])],
  ])
  const head = Buffer.from([1, 0, 4, 4])
  return Buffer.concat([head, names, cffIndex([dict]), strings, globalSubroutines, charset, charStrings])
}

function cffIndex(objects: readonly Buffer[]): Buffer {
  if (objects.length === 0) return Buffer.alloc(2)
  const size = objects.length === 1 ? 1 : 4
  const head = Buffer.alloc(3 + (objects.length + 1) * size)
  head.writeUInt16BE(objects.length, 0)
  head.writeUInt8(size, 2)
  let offset = 1
  head.writeUIntBE(offset, 3, size)
  for (const [i, object] of objects.entries()) {
    offset += object.length
    head.writeUIntBE(offset, 3 + (i + 1) * size, size)
  }
  return Buffer.concat([head, ...objects])
}
