import { mutateBytes, words } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

/** Changes outlines of some glyphs of a TrueType font. Then writes the tables `glyf` and `loca` so that they match. */
export function mutateGlyphs(random: Random, tables: Map<string, Buffer>): void {
  const [head, loca, glyf, maxp] = ['head', 'loca', 'glyf', 'maxp'].map((tag) => tables.get(tag))
  if (head === undefined || loca === undefined || glyf === undefined || maxp === undefined) return
  if (head.length < 54 || maxp.length < 6) return
  const numGlyphs = maxp.readUInt16BE(4)
  const isLong = head.readInt16BE(50) !== 0
  if (loca.length < (numGlyphs + 1) * (isLong ? 4 : 2)) return
  const offsetOf = (glyph: number) => (isLong ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2)
  const glyphs = Array.from({ length: numGlyphs }, (_, glyph) => glyf.subarray(offsetOf(glyph), offsetOf(glyph + 1)))
  const times = 1 + random.below(random.chance(0.1) ? numGlyphs : 6)
  for (let i = 0; i < times; i += 1) {
    const at = random.below(numGlyphs)
    glyphs[at] = nextGlyph(random, glyphs[at] ?? Buffer.alloc(0), numGlyphs, at)
  }
  const padded = glyphs.map((glyph) => Buffer.concat([glyph, Buffer.alloc((4 - (glyph.length % 4)) % 4)]))
  const offsets = Buffer.alloc((numGlyphs + 1) * 4)
  let end = 0
  for (const [index, glyph] of padded.entries()) {
    end += glyph.length
    offsets.writeUInt32BE(end, (index + 1) * 4)
  }
  head.writeInt16BE(1, 50)
  tables.set('loca', offsets)
  tables.set('glyf', Buffer.concat(padded))
}

function nextGlyph(random: Random, old: Buffer, numGlyphs: number, at: number): Buffer {
  switch (random.below(5)) {
    case 0:
      return composite(random, numGlyphs, at)
    case 1:
      return simple(random)
    case 2:
      return Buffer.alloc(0)
    default:
      return mutateBytes(random, old)
  }
}

function composite(random: Random, numGlyphs: number, at: number): Buffer {
  const count = random.pick([1, 2, 3, 8, 60])
  const parts = Array.from({ length: count }, (_, i) => {
    const placing = random.pick([0, 0, 0x08, 0x40, 0x80])
    const isWord = random.chance(0.6)
    // Without the flag ARGS_ARE_XY_VALUES (2), the two numbers are points to align.
    const flags =
      (isWord ? 1 : 0) | (random.chance(0.7) ? 2 : 0) | placing | (i < count - 1 ? 0x20 : 0) | (random.below(8) << 9)
    const part = random.chance(0.8) ? Math.max(0, at - 1 - random.below(20)) : random.below(numGlyphs + 2)
    const numbers = isWord
      ? words(random.below(0x10000), random.below(0x10000))
      : Buffer.from([random.below(256), random.below(256)])
    const scales = { 0: 0, 8: 1, 64: 2, 128: 4 }[placing] ?? 0
    const matrix = words(...Array.from({ length: scales }, () => random.pick([0x4000, 0x2000, 0x7fff, 0x8000, 0, 1])))
    return Buffer.concat([words(flags, part), numbers, matrix])
  })
  return Buffer.concat([words(-1, 0, 0, 500, 500), ...parts])
}

function simple(random: Random): Buffer {
  const contours = random.pick([0, 1, 2, 5, random.chance(0.1) ? 3_000 : 3])
  let end = -1
  const ends = Array.from({ length: contours }, () => {
    end += random.pick([1, 2, 4, 10, random.chance(0.02) ? -3 : 3])
    return end
  })
  const points = Math.max(0, end + 1)
  const [flags, coordinates]: [number[], number[]] = [[], []]
  for (let i = 0; i < points; i += 1) {
    const flag = random.below(0x40)
    flags.push(flag)
    if (flag & 8) {
      const repeats = random.below(Math.min(255, points - i))
      flags.push(random.chance(0.98) ? repeats : 255)
      i += repeats
    }
    coordinates.push(random.below(256), random.below(256))
  }
  const instructions = random.chance(0.2)
    ? Buffer.from(Array.from({ length: 30 }, () => random.below(256)))
    : Buffer.alloc(0)
  return Buffer.concat([
    words(contours, 0, 0, 500, 500, ...ends, instructions.length),
    instructions,
    Buffer.from(flags),
    Buffer.from(coordinates),
    Buffer.alloc(points * 2, random.below(256)),
  ])
}
