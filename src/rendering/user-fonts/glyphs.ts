import { checkCff } from './checks/cff.ts'
import { checkCmap } from './checks/cmap.ts'
import { checkNames } from './checks/names.ts'
import { checkSizes } from './checks/sizes.ts'
import { readParts } from './composite.ts'
import { contradiction } from './sfnt/reader.ts'
import { FONT_LIMITS, tooComplex, unreadable, unsupported } from './sfnt/refuse.ts'
import { type FontTables, type OutlineKind, tableView } from './sfnt/tables.ts'

const REQUIRED = ['head', 'hhea', 'hmtx', 'maxp', 'cmap', 'name', 'OS/2']
const HEAD_MAGIC = 0x5f0f3cf5

/**
 * Checks that a font has outlines and every table that drawing needs, and that the sizes and counts in these tables
 * match. Also checks that no glyph contains itself, too many other glyphs, or too many points.
 *
 * Tables that drawing does not read are not checked, because they are removed. The limits in "maxp" (`maxPoints`,
 * `maxComponentDepth` and others) are not compared with the glyphs, because only hinting uses them and `checkGlyphs`
 * has its own limits.
 *
 * @throws {Refused} if a check fails
 * @throws RangeError for truncated tables
 */
export function checkTables(tables: FontTables): OutlineKind {
  const kind = outlineKind(tables)
  const missing = REQUIRED.filter((tag) => !tables.has(tag))
  if (missing.length > 0) throw unreadable(`The font lacks the table "${missing.join('", "')}".`)
  const head = tableView(tables, 'head')
  const unitsPerEm = head.getUint16(18)
  if (head.getUint32(12) !== HEAD_MAGIC || unitsPerEm < 16 || unitsPerEm > 16_384 || head.byteLength < 54) {
    throw unreadable('The header of the font is damaged.')
  }
  const numGlyphs = tableView(tables, 'maxp').getUint16(4)
  checkSizes(tables, { numGlyphs, kind })
  checkCmap(tables, numGlyphs)
  checkNames(tables)
  if (kind === 'glyf') checkGlyphs(tables, { numGlyphs, isLong: head.getInt16(50) !== 0 })
  else checkCff(tables, numGlyphs)
  return kind
}

function outlineKind(tables: FontTables): OutlineKind {
  if (tables.has('CFF ')) return 'CFF '
  if (tables.has('glyf') && tables.has('loca')) return 'glyf'
  if (tables.has('CFF2')) {
    throw unsupported(
      'The font is a variable font in a format that is not supported (CFF2). Upload a static font for each weight.',
    )
  }
  throw unsupported('The font has no outlines: bitmap and colour fonts cannot be printed sharply.')
}

interface GlyphCost {
  /** The number of glyphs that the glyph consists of, including the glyph itself. */
  parts: number
  /** The number of levels of components; 1 for a glyph with outlines of its own. */
  depth: number
  /** The number of points of all outlines. */
  points: number
}

/**
 * Checks the outlines of glyphs. Drawing follows all components of a glyph, so it would not end for a cycle, and would
 * take long for repetitions on many levels.
 */
function checkGlyphs(tables: FontTables, { numGlyphs, isLong }: { numGlyphs: number; isLong: boolean }): void {
  const glyf = tableView(tables, 'glyf')
  const loca = tableView(tables, 'loca')
  const offsetOf = (glyph: number) => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2)
  const known: (GlyphCost | 'open' | undefined)[] = []

  const costOf = (glyph: number): GlyphCost => {
    if (glyph >= numGlyphs) throw contradiction('glyf', 'refers to a glyph that does not exist')
    const found = known[glyph]
    if (found === 'open') throw tangled()
    if (found !== undefined) return found
    known[glyph] = 'open'
    const { parts, points } = readOutline(glyf, offsetOf(glyph), offsetOf(glyph + 1))
    const cost = add(points, parts.map(costOf))
    known[glyph] = cost
    return cost
  }
  for (let glyph = 0; glyph < numGlyphs; glyph++) costOf(glyph)
}

function add(ownPoints: number, costs: readonly GlyphCost[]): GlyphCost {
  const sum: GlyphCost = { parts: 1, depth: 1, points: ownPoints }
  for (const { parts, depth, points } of costs) {
    sum.parts += parts
    sum.depth = Math.max(sum.depth, depth + 1)
    sum.points += points
  }
  if (sum.parts > FONT_LIMITS.glyphParts || sum.depth > FONT_LIMITS.glyphDepth) throw tangled()
  if (sum.points > FONT_LIMITS.glyphPoints) {
    throw tooComplex(`The font has a glyph with more than ${FONT_LIMITS.glyphPoints} points.`)
  }
  return sum
}

function tangled() {
  return unreadable('The font has a glyph that contains itself or too many other glyphs.')
}

/** Reads the components of a composite glyph, or the number of points of another glyph (OpenType, "glyf"). */
function readOutline(glyf: DataView, start: number, end: number): { parts: number[]; points: number } {
  if (end === start) return { parts: [], points: 0 }
  if (end < start || end > glyf.byteLength) throw contradiction('loca', 'places a glyph outside of the table "glyf"')
  const contours = glyf.getInt16(start)
  if (contours < 0) return { parts: readParts(glyf, start, end).parts.map(({ glyph }) => glyph), points: 0 }
  const ends = start + 10
  if (ends + contours * 2 > end) throw contradiction('glyf', 'has a truncated glyph')
  return { parts: [], points: contours === 0 ? 0 : glyf.getUint16(ends + (contours - 1) * 2) + 1 }
}
