import { mutateBytes, mutateNumber, words } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

const FEATURES: Readonly<Record<'GSUB' | 'GPOS', readonly string[]>> = {
  GSUB: [
    'ccmp',
    'liga',
    'rlig',
    'calt',
    'locl',
    'clig',
    'rclt',
    'init',
    'medi',
    'fina',
    'isol',
    'akhn',
    'half',
    'pres',
    'rphf',
  ],
  GPOS: ['kern', 'mark', 'mkmk', 'dist', 'curs', 'abvm', 'blwm'],
}
const SCRIPTS = ['DFLT', 'latn', 'arab', 'deva', 'dev2', 'hebr']

/** Changes a table GSUB or GPOS in its structure: offsets, counts, lookup types and references to lookups. */
export function mutateLayout(random: Random, input: Buffer): Buffer {
  const table = Buffer.from(input)
  const lookups = lookupsOf(table)
  const chosen = lookups.length === 0 ? undefined : random.pick(lookups)
  if (chosen === undefined || random.chance(0.2)) return mutateBytes(random, table)
  switch (random.below(6)) {
    case 0:
      // Changes the type of the lookup, so that its subtables are read as another type.
      table.writeUInt16BE(1 + random.below(9), chosen.at)
      return table
    case 1:
      table.writeUInt16BE(random.pick([0, 1, 2, 4, 8, 14, 16, 0x100, 0xff00]), chosen.at + 2)
      return table
    case 2: {
      const [from, to] = [random.pick(lookups), chosen]
      table.writeUInt16BE(from.at - from.list, to.entry)
      return table
    }
    case 3:
      mutateNumber(random, table, chosen.at + 4, 2)
      return table
    case 4: {
      const subtable = chosen.subtables.length === 0 ? chosen.at : random.pick(chosen.subtables)
      mutateNumber(random, table, subtable + 2 * random.below(12), 2)
      return table
    }
    default: {
      const subtable = chosen.subtables.length === 0 ? chosen.at : random.pick(chosen.subtables)
      const length = Math.min(200, Math.max(0, table.length - subtable))
      mutateBytes(random, table.subarray(subtable, subtable + length), { times: 2 }).copy(table, subtable, 0, length)
      return table
    }
  }
}

type Lookup = { list: number; entry: number; at: number; subtables: number[] }

function lookupsOf(table: Buffer): Lookup[] {
  const u16 = (at: number) => (at + 2 <= table.length ? table.readUInt16BE(at) : 0)
  const list = u16(8)
  return Array.from({ length: Math.min(u16(list), 200) }, (_, index) => {
    const entry = list + 2 + index * 2
    const at = list + u16(entry)
    const subtables = Array.from({ length: Math.min(u16(at + 4), 50) }, (_, s) => at + u16(at + 6 + s * 2))
    return { list, entry, at, subtables: subtables.filter((offset) => offset < table.length) }
  }).filter(({ at, entry }) => at + 6 <= table.length && entry + 2 <= table.length)
}

/**
 * Writes a table GSUB or GPOS with lookups of any type. A valid table refers only to existing glyphs, and its lookups
 * call only later lookups. In an invalid table, lookups may also call each other and themselves.
 */
export function layoutTable(random: Random, numGlyphs: number, kind: 'GSUB' | 'GPOS'): Buffer {
  const isSound = random.chance(0.6)
  const count = random.pick([1, 2, 3, 8, 30, random.chance(0.2) ? 400 : 5])
  const distinct = isSound ? count : Math.min(count, 1 + random.below(12))
  const glyph = isSound ? soundGlyphPicker(random, numGlyphs) : glyphPicker(random, numGlyphs)
  const lookups = Array.from({ length: distinct }, (_, at) =>
    lookup(random, kind, { isSound, glyph, at, lookups: count }),
  )
  const features = FEATURES[kind].filter(() => random.chance(0.5))
  const tags = features.length === 0 ? [FEATURES[kind][0] ?? 'ccmp'] : features
  const featureList = listOf(tags.map((tag) => [tag, feature(random, count)] as const))
  const scripts = SCRIPTS.filter((tag) => tag === 'DFLT' || random.chance(0.3))
  const script = Buffer.concat([words(4, 0), words(0, 0xffff, tags.length), words(...tags.map((_, i) => i))])
  const scriptList = listOf(scripts.map((tag) => [tag, script] as const))
  const lookupList = offsetsOf(Array.from({ length: count }, (_, i) => lookups[i % distinct] ?? words(1, 0, 0)))
  const head = 10
  const offsets = [head, head + scriptList.length, head + scriptList.length + featureList.length]
  return Buffer.concat([words(1, 0, ...offsets), scriptList, featureList, lookupList])
}

type PickGlyph = () => number

function glyphPicker(random: Random, numGlyphs: number): PickGlyph {
  const favourites = Array.from({ length: 8 }, () => random.below(numGlyphs))
  return () =>
    random.chance(0.8)
      ? random.pick(favourites)
      : random.chance(0.9)
        ? random.below(numGlyphs)
        : random.pick([0, 0xffff, numGlyphs])
}

function soundGlyphPicker(random: Random, numGlyphs: number): PickGlyph {
  const favourites = Array.from({ length: 20 }, () => random.below(numGlyphs))
  return () => (random.chance(0.7) ? random.pick(favourites) : random.below(numGlyphs))
}

/** The position of a lookup, and the glyphs and lookups to which it may refer. */
type Scope = { isSound: boolean; glyph: PickGlyph; at: number; lookups: number }

function feature(random: Random, lookups: number): Buffer {
  const all = Array.from({ length: lookups }, (_, i) => i)
  const indices = random.chance(0.7) ? all : all.filter(() => random.chance(0.5))
  return words(0, indices.length, ...indices)
}

/**
 * Writes a list of records with a tag and an offset, and the objects to which they point. Equal objects are written
 * once.
 */
function listOf(entries: readonly (readonly [tag: string, data: Buffer])[]): Buffer {
  const head = Buffer.alloc(2 + entries.length * 6)
  head.writeUInt16BE(entries.length)
  const places = new Map<Buffer, number>()
  const parts: Buffer[] = []
  let end = head.length
  for (const [index, [tag, data]] of entries.entries()) {
    const at = places.get(data) ?? end
    if (!places.has(data)) {
      places.set(data, at)
      parts.push(data)
      end += data.length
    }
    head.write(tag, 2 + index * 6, 'latin1')
    head.writeUInt16BE(at & 0xffff, 2 + index * 6 + 4)
  }
  return Buffer.concat([head, ...parts])
}

function offsetsOf(items: readonly Buffer[], before: readonly number[] = []): Buffer {
  const head = (before.length + 1 + items.length) * 2
  const places = new Map<Buffer, number>()
  const parts: Buffer[] = []
  let end = head
  const offsets = items.map((item) => {
    const known = places.get(item)
    if (known !== undefined) return known
    places.set(item, end)
    parts.push(item)
    end += item.length
    return end - item.length
  })
  return Buffer.concat([words(...before, items.length, ...offsets), ...parts])
}

function lookup(random: Random, kind: 'GSUB' | 'GPOS', scope: Scope): Buffer {
  const types = kind === 'GSUB' ? [1, 2, 2, 3, 4, 5, 6, 6, 8] : [1, 2, 3, 4, 5, 6, 7, 8, 8]
  // GPOS type 5 needs ligature structures, which this file does not write, so valid tables do not use it.
  const type = random.pick(scope.isSound && kind === 'GPOS' ? types.filter((known) => known !== 5) : types)
  const subtables = Array.from({ length: 1 + random.below(3) }, () => subtable(random, kind, type, scope))
  if (random.chance(0.1)) {
    // This is an extension lookup (GSUB type 7, GPOS type 9). It refers to a subtable of another type.
    const extended = subtables.map((inner) => Buffer.concat([words(1, type, 0, 8), inner]))
    return offsetsOf(extended, [kind === 'GSUB' ? 7 : 9, 0])
  }
  return offsetsOf(subtables, [type, random.pick([0, 0, 0, 1, 2, 4, 8, 0x100])])
}

/** Writes a coverage table. In a valid table it covers `count` glyphs, in an invalid table any number. */
function coverage(random: Random, { isSound, glyph }: Scope, count: number): Buffer {
  if (isSound) {
    const covered = new Set<number>()
    for (let i = 0; covered.size < count && i < 1000; i += 1) covered.add(glyph())
    return words(1, covered.size, ...[...covered].sort((a, b) => a - b))
  }
  if (random.chance(0.3)) {
    const first = random.below(100)
    return words(2, 1, first, random.pick([first, first + 50, 0xffff]), 0)
  }
  const glyphs = [...new Set(Array.from({ length: 1 + random.below(8) }, glyph))].sort((a, b) => a - b)
  return words(1, glyphs.length, ...glyphs)
}

/** Appends the parts, and writes the offset of each part at its position `at` in the head. */
function withParts(head: number[], parts: readonly (readonly [at: number, data: Buffer])[]): Buffer {
  const numbers = [...head]
  let end = numbers.length * 2
  for (const [at, data] of parts) {
    numbers[at] = end
    end += data.length
  }
  return Buffer.concat([words(...numbers), ...parts.map(([, data]) => data)])
}

type Cover = (count?: number) => Buffer

function subtable(random: Random, kind: 'GSUB' | 'GPOS', type: number, scope: Scope): Buffer {
  const cover: Cover = (count = 1 + random.below(8)) => coverage(random, scope, count)
  const contextual = kind === 'GSUB' ? [5, 6] : [7, 8]
  if (type === contextual[0]) return context(random, cover, scope)
  if (type === contextual[1]) return chained(random, cover, scope)
  return kind === 'GSUB' ? substitution(random, type, scope, cover) : positioning(random, type, scope, cover)
}

function records(random: Random, positions: number, { isSound, at, lookups }: Scope): number[] {
  const later = lookups - at - 1
  if (isSound && later <= 0) return []
  const lookupAt = () => (isSound ? at + 1 + random.below(later) : random.below(lookups + 1))
  const position = () => random.below(isSound ? positions : positions + 1)
  return Array.from({ length: random.below(6) }, () => [position(), lookupAt()]).flat()
}

function context(random: Random, cover: Cover, scope: Scope): Buffer {
  const count = 1 + random.below(random.chance(0.1) ? 60 : 4)
  const actions = records(random, count, scope)
  const parts = Array.from({ length: count }, (_, i) => [3 + i, cover()] as const)
  return withParts([3, count, actions.length / 2, ...new Array<number>(count).fill(0), ...actions], parts)
}

function chained(random: Random, cover: Cover, scope: Scope): Buffer {
  const [before, count, after] = [random.below(4), 1 + random.below(3), random.below(random.chance(0.2) ? 60 : 4)]
  const actions = records(random, count, scope)
  const blanks = (length: number) => new Array<number>(length).fill(0)
  const head = [
    3,
    before,
    ...blanks(before),
    count,
    ...blanks(count),
    after,
    ...blanks(after),
    actions.length / 2,
    ...actions,
  ]
  const places = [
    ...Array.from({ length: before }, (_, i) => 2 + i),
    ...Array.from({ length: count }, (_, i) => 3 + before + i),
    ...Array.from({ length: after }, (_, i) => 4 + before + count + i),
  ]
  const shared = random.chance(0.3) ? cover() : undefined
  return withParts(
    head,
    places.map((at) => [at, shared ?? cover()] as const),
  )
}

function substitution(random: Random, type: number, { isSound, glyph }: Scope, cover: Cover): Buffer {
  const sequence = (): Buffer => {
    const glyphs = Array.from({ length: random.pick([0, 1, 2, 3, 20, 60]) }, glyph)
    return words(glyphs.length, ...glyphs)
  }
  switch (type) {
    case 1: {
      if (!isSound) return withParts([1, 0, random.below(0x10000)], [[1, cover()]])
      const glyphs = Array.from({ length: 1 + random.below(8) }, glyph)
      return withParts([2, 0, glyphs.length, ...glyphs], [[1, cover(glyphs.length)]])
    }
    case 2:
    case 3: {
      const count = 1 + random.below(5)
      const parts = Array.from({ length: count }, (_, i) => [3 + i, sequence()] as const)
      return withParts([1, 0, count, ...new Array<number>(count).fill(0)], [[1, cover(count)], ...parts])
    }
    case 4: {
      const set = (): Buffer => {
        const ligature = () => {
          const components = Array.from({ length: 1 + random.below(3) }, glyph)
          return words(glyph(), components.length + 1, ...components)
        }
        return offsetsOf(Array.from({ length: 1 + random.below(3) }, ligature))
      }
      const count = 1 + random.below(4)
      const parts = Array.from({ length: count }, (_, i) => [3 + i, set()] as const)
      return withParts([1, 0, count, ...new Array<number>(count).fill(0)], [[1, cover(count)], ...parts])
    }
    default: {
      const glyphs = Array.from({ length: 1 + random.below(5) }, glyph)
      return withParts(
        [1, 0, 1, 0, 0, glyphs.length, ...glyphs],
        [
          [1, cover(glyphs.length)],
          [3, cover()],
        ],
      )
    }
  }
}

function positioning(random: Random, type: number, { isSound, glyph }: Scope, cover: Cover): Buffer {
  const small = () => random.pick([0, 1, 500, -500, 0x7fff, 0x8000])
  const anchor = () => words(1, small(), small())
  const count = 1 + random.below(4)
  switch (type) {
    case 1:
      return withParts([1, 0, 0x0f, small(), small(), small(), small()], [[1, cover()]])
    case 2: {
      const pairs = words(1, glyph(), small(), small())
      return withParts(
        [1, 0, 4, random.pick([0, 4]), 1, 0],
        [
          [1, cover(1)],
          [5, pairs],
        ],
      )
    }
    case 3: {
      const parts = Array.from({ length: count * 2 }, (_, i) => [3 + i, anchor()] as const)
      return withParts([1, 0, count, ...new Array<number>(count * 2).fill(0)], [[1, cover(count)], ...parts])
    }
    default: {
      const marks = Array.from({ length: count }, () => [isSound ? 0 : random.pick([0, 1, 100]), 0]).flat()
      const markArray = withParts(
        [count, ...marks],
        Array.from({ length: count }, (_, i) => [2 + i * 2, anchor()] as const),
      )
      const baseArray = withParts(
        [count, ...new Array<number>(count).fill(0)],
        Array.from({ length: count }, (_, i) => [1 + i, anchor()] as const),
      )
      return withParts(
        [1, 0, 0, isSound ? 1 : random.pick([1, 1, 2, 200]), 0, 0],
        [
          [1, cover(count)],
          [2, cover(count)],
          [4, markArray],
          [5, baseArray],
        ],
      )
    }
  }
}
