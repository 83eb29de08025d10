import { mutateBytes, words } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

/** Changes a table CFF. Favours its first bytes: the header, the indexes and the dictionaries. */
export function mutateCff(random: Random, input: Buffer): Buffer {
  return mutateBytes(random, input, { times: 1 + random.below(8) })
}

/** Writes a table CFF (Adobe Technical Note 5176) whose glyphs run generated programs (Note 5177). */
export function cffTable(random: Random, numGlyphs: number): Buffer {
  const subrs = 1 + random.below(20)
  const globals = index(Array.from({ length: subrs }, (_, i) => program(random, { subrs, at: i })))
  const locals = index(Array.from({ length: subrs }, (_, i) => program(random, { subrs, at: i })))
  const charstrings = index(
    Array.from({ length: numGlyphs }, (_, glyph) =>
      glyph > 0 && random.chance(0.8) ? square(random) : program(random, { subrs, at: subrs }),
    ),
  )
  const names = index([Buffer.from('Fuzz')])
  const strings = index([])
  const header = Buffer.from([1, 0, 4, 4])
  const privateDict = Buffer.concat([
    integer(1000),
    Buffer.from([20]),
    integer(500),
    Buffer.from([21]),
    long(privateSize(random)),
    Buffer.from([19]),
  ])
  // The predefined charsets name at most 229 glyphs, so larger fonts need a charset of their own.
  const charset = Buffer.concat([Buffer.from([2]), words(1, numGlyphs - 2)])
  const topSize = 2 + 1 + 2 + 5 + 1 + 5 + 5 + 1 + 5 + 1 + 12
  const before = header.length + names.length + topSize + strings.length + globals.length
  const top = Buffer.concat([
    ...[long(before), Buffer.from([15])],
    ...[long(before + charset.length), Buffer.from([17])],
    ...[long(privateDict.length), long(before + charset.length + charstrings.length), Buffer.from([18])],
    ...(random.chance(0.1) ? [integer(2), Buffer.from([12, 6])] : []),
  ])
  const topIndex = padTo(index([top]), topSize)
  return Buffer.concat([header, names, topIndex, strings, globals, charset, charstrings, privateDict, locals])
}

/**
 * Returns the offset of the local subroutines, relative to the private dictionary: usually its end, sometimes a random
 * number.
 */
function privateSize(random: Random): number {
  const behind = integer(1000).length + 1 + integer(500).length + 1 + 5 + 1
  return random.chance(0.9) ? behind : random.below(10_000)
}

/**
 * Pads the index of the top dictionary to a fixed length. The dictionary contains offsets of tables behind it, so its
 * length must not depend on them.
 */
function padTo(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes
  // The byte 139 encodes the number 0. These operands fill the dictionary up to the length in its index and have no
  // effect.
  const filled = Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 139)])
  filled[4] = length - 4
  return filled
}

function index(items: readonly Buffer[]): Buffer {
  if (items.length === 0) return words(0)
  let end = 1
  const wide = items.reduce((sum, { length }) => sum + length, 1) > 255
  const offsets = [1, ...items.map(({ length }) => (end += length))]
  const table =
    wide || items.length > 1
      ? Buffer.concat(offsets.map((at) => Buffer.from([at >> 16, (at >> 8) & 255, at & 255])))
      : Buffer.from(offsets)
  return Buffer.concat([words(items.length), Buffer.from([wide || items.length > 1 ? 3 : 1]), table, ...items])
}

function integer(value: number): Buffer {
  if (value >= -107 && value <= 107) return Buffer.from([value + 139])
  return Buffer.concat([Buffer.from([28]), words(value)])
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes[0] = 29
  bytes.writeInt32BE(value, 1)
  return bytes
}

const OPERATORS: readonly (readonly number[])[] = [
  ...[
    [1],
    [3],
    [4],
    [5],
    [6],
    [7],
    [8],
    [18],
    [19, 0xff],
    [20, 0x0f],
    [21],
    [22],
    [23],
    [24],
    [25],
    [26],
    [27],
    [30],
    [31],
  ],
  ...[3, 4, 5, 9, 10, 11, 12, 14, 15, 18, 20, 21, 22, 23, 24, 26, 27, 28, 29, 30, 34, 35, 36, 37].map((code) => [
    12,
    code,
  ]),
]

function operand(random: Random): Buffer {
  if (random.chance(0.05))
    return Buffer.concat([Buffer.from([255]), words(random.below(0x10000), random.below(0x10000))])
  return integer(random.pick([0, 1, -1, 10, 100, 500, -500, 32767, -32768, random.below(1000)]))
}

/** Writes a program of a glyph or subroutine. Subroutines usually call only earlier subroutines. */
function program(random: Random, { subrs, at }: { subrs: number; at: number }): Buffer {
  const parts: Buffer[] = []
  const steps = 1 + random.below(12)
  for (let i = 0; i < steps; i += 1) {
    const operands = random.below(random.chance(0.05) ? 100 : 8)
    for (let o = 0; o < operands; o += 1) parts.push(operand(random))
    if (at > 0 && random.chance(0.4)) {
      const called = random.chance(0.97) ? random.below(at) : random.below(subrs + 2)
      const repeats = random.chance(0.2) ? 8 : 1
      for (let r = 0; r < repeats; r += 1) parts.push(integer(called - 107), Buffer.from([random.pick([10, 29])]))
    } else parts.push(Buffer.from(random.pick(OPERATORS)))
  }
  // With four operands, endchar composes an accented glyph of two others.
  if (random.chance(0.05)) parts.push(integer(0), integer(0), integer(random.below(256)), integer(random.below(256)))
  parts.push(Buffer.from([at === subrs ? 14 : 11]))
  return Buffer.concat(parts)
}

function square(random: Random): Buffer {
  const side = 100 + random.below(500)
  return Buffer.concat([
    integer(50),
    integer(0),
    Buffer.from([21]),
    ...[side, side, -side].map(integer),
    Buffer.from([6, 14]),
  ])
}
