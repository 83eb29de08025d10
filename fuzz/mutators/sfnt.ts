import { toWoff } from '../../src/rendering/user-fonts/factory.ts'
import { buildSfnt } from '../../src/rendering/user-fonts/sfnt/tables.ts'
import { mutateBytes, mutateNumber } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'
import { cffTable, mutateCff } from './cff.ts'
import { cmapTable } from './cmap.ts'
import { mutateGlyphs } from './glyf.ts'
import { layoutTable, mutateLayout } from './layout.ts'

type Tables = Map<string, Buffer>

/** The tables to change. A table that occurs more often is changed more often, because more parsers read it. */
const FAVOURITES = [
  ...['GSUB', 'GSUB', 'GSUB', 'GPOS', 'GPOS', 'GPOS', 'GDEF', 'GDEF', 'cmap', 'cmap', 'glyf', 'glyf', 'glyf', 'loca'],
  ...[
    'head',
    'hhea',
    'hmtx',
    'maxp',
    'OS/2',
    'name',
    'post',
    'kern',
    'CFF ',
    'CFF ',
    'fpgm',
    'prep',
    'cvt ',
    'vhea',
    'vmtx',
    'BASE',
  ],
]
const HEAD_MAGIC = 0x5f0f3cf5

/** Changes tables of a TrueType or OpenType font. Then writes a correct directory and checksums. */
export function mutateFont(random: Random, input: Buffer, other: Buffer): Buffer {
  const tables = tablesOf(input)
  if (tables.size === 0) return mutateBytes(random, input)
  const theirs = tablesOf(other)
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) mutateTables(random, tables, theirs)
  if (random.chance(0.85)) repair(random, tables)
  if (tables.size === 0) return input
  const font = Buffer.from(buildSfnt(tables))
  if (random.chance(0.04)) return mutateBytes(random, font)
  if (random.chance(0.03)) return mutateBytes(random, toWoff(font), { times: random.below(3) })
  return font
}

/** Returns the tables of a font. The result is empty if its directory cannot be read. */
export function tablesOf(font: Buffer): Tables {
  const tables: Tables = new Map()
  const count = font.length < 12 ? 0 : font.readUInt16BE(4)
  for (let i = 0; i < Math.min(count, 64) && 28 + i * 16 <= font.length; i += 1) {
    const entry = 12 + i * 16
    const [start, length] = [font.readUInt32BE(entry + 8), font.readUInt32BE(entry + 12)]
    if (start + length <= font.length) {
      tables.set(font.toString('latin1', entry, entry + 4), Buffer.from(font.subarray(start, start + length)))
    }
  }
  return tables
}

function mutateTables(random: Random, tables: Tables, theirs: Tables): void {
  const tag = random.chance(0.9) ? random.pick(FAVOURITES) : random.pick([...tables.keys(), 'kern'])
  const old = tables.get(tag)
  const numGlyphs = glyphCount(tables)
  switch (random.below(12)) {
    case 0:
      tables.set(random.pick(['GSUB', 'GSUB', 'GPOS']), layoutTable(random, numGlyphs, 'GSUB'))
      return
    case 1:
      tables.set('GPOS', layoutTable(random, numGlyphs, 'GPOS'))
      return
    case 2:
      tables.set('cmap', cmapTable(random, numGlyphs))
      return
    case 3:
      mutateGlyphs(random, tables)
      return
    case 4:
      if (random.chance(0.3) || tables.has('CFF ')) makeCff(random, tables, numGlyphs)
      return
    case 5: {
      const donor = theirs.get(tag)
      if (donor !== undefined) tables.set(tag, Buffer.from(donor))
      return
    }
    case 6:
      tables.delete(random.chance(0.5) ? tag : random.pick([tag, ...tables.keys()]))
      return
    case 7:
      if (old !== undefined) tables.set(tag, old.subarray(0, random.below(old.length)))
      return
    case 8:
      mutateHeaders(random, tables)
      return
    default:
      if (old === undefined) return
      if (tag === 'GSUB' || tag === 'GPOS') tables.set(tag, mutateLayout(random, old))
      else if (tag === 'CFF ') tables.set(tag, mutateCff(random, old))
      else tables.set(tag, mutateBytes(random, old))
  }
}

function makeCff(random: Random, tables: Tables, numGlyphs: number): void {
  tables.delete('glyf')
  tables.delete('loca')
  tables.set('CFF ', cffTable(random, Math.min(numGlyphs, 300)))
}

function glyphCount(tables: Tables): number {
  const maxp = tables.get('maxp')
  return maxp === undefined || maxp.length < 6 ? 1 : maxp.readUInt16BE(4)
}

/** Changes numbers that determine the sizes of other tables, or the measures of the font. */
function mutateHeaders(random: Random, tables: Tables): void {
  const [tag, at, size] = random.pick([
    ['maxp', 4, 2],
    ['head', 50, 2],
    ['head', 18, 2],
    ['head', 36, 2],
    ['hhea', 34, 2],
    ['hhea', 4, 2],
    ['hhea', 6, 2],
    ['hhea', 8, 2],
    ['OS/2', 68, 2],
    ['OS/2', 74, 2],
    ['OS/2', 62, 2],
    ['post', 0, 4],
    ['maxp', 0, 4],
  ] as const)
  const table = tables.get(tag)
  if (table !== undefined) mutateNumber(random, table, at, size)
}

/** Repairs values that the first checks would reject, so that the parser reaches the change. */
function repair(random: Random, tables: Tables): void {
  const [head, hhea, hmtx] = [tables.get('head'), tables.get('hhea'), tables.get('hmtx')]
  if (head !== undefined && head.length >= 54) {
    head.writeUInt32BE(HEAD_MAGIC, 12)
    if (head.readUInt16BE(18) < 16 || head.readUInt16BE(18) > 16_384) head.writeUInt16BE(1000, 18)
  }
  const numGlyphs = glyphCount(tables)
  if (hhea !== undefined && hhea.length >= 36 && hmtx !== undefined) {
    const metrics = hhea.readUInt16BE(34)
    if (metrics === 0 || metrics > numGlyphs) hhea.writeUInt16BE(Math.max(1, numGlyphs), 34)
    const needed = hhea.readUInt16BE(34) * 4 + (numGlyphs - hhea.readUInt16BE(34)) * 2
    if (hmtx.length < needed)
      tables.set('hmtx', Buffer.concat([hmtx, Buffer.alloc(needed - hmtx.length, random.below(4))]))
  }
}
