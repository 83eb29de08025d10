import { longs, words } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

/** Writes a table cmap with subtables of any format. Some subtables are inconsistent. */
export function cmapTable(random: Random, numGlyphs: number): Buffer {
  const count = 1 + random.below(3)
  const subtables = Array.from({ length: count }, () => subtable(random, numGlyphs))
  const head = 4 + count * 8
  let end = head
  const records = subtables.map((data) => {
    const platform = random.pick([
      [0, 3],
      [0, 4],
      [0, 5],
      [3, 1],
      [3, 10],
      [3, 0],
      [1, 0],
    ] as const)
    const record = Buffer.concat([words(...platform), longs(end)])
    end += data.length
    return record
  })
  return Buffer.concat([words(0, count), ...records, ...subtables])
}

function subtable(random: Random, numGlyphs: number): Buffer {
  const isSound = random.chance(0.6)
  const glyph = () => (isSound ? random.below(numGlyphs) : random.pick([random.below(numGlyphs), 0, 0xffff, numGlyphs]))
  const length = (right: number) =>
    isSound || random.chance(0.7) ? right : random.pick([0, right - 1, right + 1000, 0xffff])
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([
        words(0, length(262), 0),
        Buffer.from(Array.from({ length: 256 }, () => random.below(Math.min(256, numGlyphs)))),
      ])
    case 1:
      return format2(random, glyph)
    case 2:
      return format4(random, numGlyphs, length)
    case 3: {
      const count = random.below(200)
      return words(
        6,
        length(10 + count * 2),
        0,
        random.pick([0, 32, 0xfff0]),
        count,
        ...Array.from({ length: count }, glyph),
      )
    }
    case 4:
      return format14(random, glyph)
    default:
      return segmented(random, random.pick([12, 12, 13, 8, 10]), glyph)
  }
}

function format2(random: Random, glyph: () => number): Buffer {
  const keys = Array.from({ length: 256 }, () => random.pick([0, 0, 8, 16, random.below(0x10000)]))
  const headers = Array.from({ length: 3 }, () => [
    random.below(256),
    random.below(256),
    random.below(10),
    random.below(400),
  ]).flat()
  return words(2, 6 + 512 + 24 + 200, 0, ...keys, ...headers, ...Array.from({ length: 100 }, glyph))
}

function format4(random: Random, numGlyphs: number, length: (right: number) => number): Buffer {
  const count = 1 + random.below(20)
  const cuts = Array.from({ length: count * 2 }, () => random.below(0xffff)).sort((a, b) => a - b)
  if (random.chance(0.4)) for (const [i] of cuts.entries()) cuts[i] = 32 + i * 10
  const ends = [...cuts.filter((_, i) => i % 2 === 1), 0xffff]
  const starts = [...cuts.filter((_, i) => i % 2 === 0), 0xffff]
  const deltas = starts.map((start) => (random.chance(0.8) ? random.below(numGlyphs) - start : random.below(0x10000)))
  const offsets = starts.map(() => (random.chance(0.8) ? 0 : random.pick([2, 100, 0xfffe, 0xffff])))
  const size = 16 + ends.length * 8
  return words(4, length(size), 0, ends.length * 2, 0, 0, 0, ...ends, 0, ...starts, ...deltas, ...offsets)
}

function segmented(random: Random, format: number, glyph: () => number): Buffer {
  const count = random.chance(0.1) ? 3_000 : 1 + random.below(20)
  let at = 32
  const groups = Array.from({ length: count }, () => {
    const first = at
    at += random.pick([1, 20, 95, random.chance(0.1) ? 100_000 : 300])
    return longs(first, random.chance(0.99) ? at - 1 : 0x10ffff, glyph())
  })
  const size = 16 + count * 12
  return Buffer.concat([words(format, 0), longs(size, 0, random.chance(0.95) ? count : 0x7fffffff), ...groups])
}

function format14(random: Random, glyph: () => number): Buffer {
  const ranges = Buffer.concat([longs(2), Buffer.from([0, 0, 0x41, 3, 0, 1, 0, random.below(256)])])
  const mappings = Buffer.concat([
    longs(2),
    Buffer.from([0, 0, 0x41]),
    words(glyph()),
    Buffer.from([0, 0, 0x42]),
    words(glyph()),
  ])
  const head = 10 + 11
  const record = Buffer.concat([Buffer.from([0, 0xfe, random.pick([0, 0x0f])]), longs(head, head + ranges.length)])
  return Buffer.concat([words(14), longs(head + ranges.length + mappings.length, 1), record, ranges, mappings])
}
