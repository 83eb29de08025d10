import { readerOf } from '../sfnt/reader.ts'
import { FONT_LIMITS, tooComplex } from '../sfnt/refuse.ts'
import type { FontTables } from '../sfnt/tables.ts'
import type { CountSteps } from './coverage.ts'
import { checkDefinitions } from './definitions.ts'
import { type LayoutTag, readLayoutCost } from './layout-cost.ts'

const LAYOUT_TAGS: readonly LayoutTag[] = ['GSUB', 'GPOS']

/**
 * Checks the tables for shaping: no reference may point outside its table, and no text may need more work than
 * `FONT_LIMITS` allows.
 *
 * @returns for each glyph, an upper bound of the comparisons
 * @throws {Refused} `font_unreadable`, `font_too_complex`
 */
export function checkLayout(tables: FontTables): Float64Array {
  const numGlyphs = readerOf(tables, 'maxp').u16(4)
  const comparisons = new Float64Array(numGlyphs)
  const count = stepCounter()
  checkDefinitions(tables, count)
  for (const tag of LAYOUT_TAGS) {
    if (!tables.has(tag)) continue
    const cost = readLayoutCost(readerOf(tables, tag), tag, { numGlyphs, count })
    if (cost.lookups > FONT_LIMITS.lookups || cost.subtables > FONT_LIMITS.subtables) {
      throw tooComplex(`The table "${tag}" of the font has too many lookups.`)
    }
    if (cost.depth > FONT_LIMITS.lookupDepth) {
      throw tooComplex(
        `The table "${tag}" of the font has lookups that call themselves, or call one another over too many levels.`,
      )
    }
    for (let glyph = 0; glyph < numGlyphs; glyph++) {
      comparisons[glyph] = (comparisons[glyph] ?? 0) + (cost.perGlyph[glyph] ?? 0)
    }
  }
  if (comparisons.some((sum) => sum > FONT_LIMITS.comparisonsPerGlyph)) {
    throw tooComplex('The font has too many shaping rules for one letter.')
  }
  return comparisons
}

function stepCounter(): CountSteps {
  let total = 0
  return (steps) => {
    total += steps
    if (total > FONT_LIMITS.layoutSteps) throw tooComplex('The font has too many shaping rules.')
  }
}
