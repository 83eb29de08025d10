import { contradiction, type TableReader } from '../sfnt/reader.ts'
import { FONT_LIMITS } from '../sfnt/refuse.ts'
import type { CountSteps, GlyphRange } from './coverage.ts'
import {
  chainedCost,
  contextCost,
  ligatureCost,
  plainCost,
  reverseChainedCost,
  type SubtableCost,
} from './subtable-cost.ts'

/** An upper bound of the work of shaping with the table "GSUB" or "GPOS" of a font. */
export interface LayoutCost {
  lookups: number
  subtables: number
  /**
   * The number of levels on which lookups call one another; 1 if no lookup calls another. Infinite if a lookup calls
   * itself.
   */
  depth: number
  /**
   * For each glyph, an upper bound of the comparisons for one character with this glyph, whatever text surrounds it.
   */
  perGlyph: Float64Array
}

interface Lookup {
  subtables: readonly SubtableCost[]
  /** For each rule of this lookup, the indices of the lookups that the rule calls. */
  calls: readonly (readonly number[])[]
  /** The most comparisons at one glyph, without those of called lookups. */
  most: number
}

/** The tables with the rules for shaping. */
export type LayoutTag = 'GSUB' | 'GPOS'

const EXTENSION = { GSUB: 7, GPOS: 9 } as const
type CostReader = typeof plainCost

const KINDS = {
  GSUB: { 4: ligatureCost, 5: contextCost, 6: chainedCost, 8: reverseChainedCost },
  GPOS: { 7: contextCost, 8: chainedCost },
} as const

/**
 * The features that are applied to every text. See https://harfbuzz.github.io/shaping-opentype-features.html. For the
 * last four, see `hb_ot_shape_collect_features` in hb-ot-shape.cc.
 */
const APPLIED = new Set(
  [
    'rvrn ltra ltrm rtla rtlm frac numr dnom rand trak abvm blwm ccmp locl mark mkmk rlig calt clig curs dist kern liga rclt',
    'stch isol fina fin2 fin3 medi med2 init mset cswh ljmo vjmo tjmo',
    'nukt akhn rphf rkrf pref blwf abvf half pstf vatu cjct cfar pres abvs blws psts haln',
    'Harf HARF Buzz BUZZ',
  ].flatMap((tags) => tags.split(' ')),
)

/**
 * Computes from a layout table how much work shaping may take, without shaping a text. Shaping test texts would not be
 * enough, because only the maker of a font may know a text for which its rules are slow.
 *
 * @throws {Refused} `font_unreadable`
 */
export function readLayoutCost(
  table: TableReader,
  tag: LayoutTag,
  { numGlyphs, count }: { numGlyphs: number; count: CountSteps },
): LayoutCost {
  const listAt = table.u16(8)
  const size = listAt === 0 ? 0 : table.u16(listAt)
  count(size)
  const lookups = Array.from({ length: size }, (_, i) =>
    readLookup(table, tag, listAt + table.u16(listAt + 2 + i * 2), count),
  )
  const nested = nestedCosts(table, lookups)
  const perGlyph = new Float64Array(numGlyphs + 1)
  for (const index of appliedLookups(table, count)) {
    const { subtables } = requireLookup(table, lookups, index)
    // Only one subtable of a lookup applies. If several subtables call lookups, their cost is added several times. The
    // sum is still an upper bound.
    for (const { scan, calls } of subtables)
      addCosts(perGlyph, scan, calls.length === 0 ? 0 : (nested[index]?.cost ?? 0))
  }
  // At this point, each entry is the difference from the previous glyph. The loop turns the differences into sums.
  for (let glyph = 1; glyph < perGlyph.length; glyph++)
    perGlyph[glyph] = (perGlyph[glyph] ?? 0) + (perGlyph[glyph - 1] ?? 0)
  const subtables = lookups.reduce((sum, lookup) => sum + lookup.subtables.length, 0)
  const depth = nested.reduce((most, lookup) => Math.max(most, lookup.depth), 0)
  return { lookups: size, subtables, depth, perGlyph }
}

function addCosts(differences: Float64Array, scan: readonly GlyphRange[], nested: number): void {
  for (const { first, last, value } of scan) {
    if (last < first || first >= differences.length) continue
    differences[first] = (differences[first] ?? 0) + value + nested
    if (last + 1 < differences.length) differences[last + 1] = (differences[last + 1] ?? 0) - value - nested
  }
}

function readLookup(table: TableReader, tag: LayoutTag, at: number, count: CountSteps): Lookup {
  const type = table.u16(at)
  const size = table.u16(at + 4)
  count(size)
  const subtables = Array.from({ length: size }, (_, i) => {
    const subtableAt = at + table.u16(at + 6 + i * 2)
    if (type !== EXTENSION[tag]) return costReader(tag, type)(table, subtableAt, count)
    return costReader(tag, table.u16(subtableAt + 2))(table, subtableAt + table.u32(subtableAt + 4), count)
  })
  return {
    subtables,
    calls: subtables.flatMap(({ calls }) => calls),
    most: highestSum(subtables.flatMap(({ scan }) => scan)),
  }
}

function costReader(tag: LayoutTag, type: number): CostReader {
  const kinds: Readonly<Record<number, CostReader>> = KINDS[tag]
  return kinds[type] ?? plainCost
}

/** Returns the indices of the lookups that are applied to texts in any language, each once. */
function appliedLookups(table: TableReader, count: CountSteps): Set<number> {
  const listAt = table.u16(6)
  const size = listAt === 0 ? 0 : table.u16(listAt)
  const required = requiredFeatures(table, count)
  const isApplied = Array.from({ length: size }, (_, i) => {
    const entry = listAt + 2 + i * 6
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((offset) => table.u8(entry + offset)))
    return APPLIED.has(tag) || required.has(i)
  })
  const features = isApplied.flatMap((is, i) => (is ? [listAt + table.u16(listAt + 2 + i * 6 + 4)] : []))
  const applied = new Set<number>()
  for (const featureAt of [...features, ...alternateFeatures(table, isApplied, count)]) {
    const lookups = table.u16(featureAt + 2)
    count(lookups + 1)
    for (let l = 0; l < lookups; l++) applied.add(table.u16(featureAt + 4 + l * 2))
  }
  return applied
}

const NO_FEATURE = 0xffff

/**
 * Returns the indices of the features that a language requires. Shaping applies these features whatever their tags are.
 */
function requiredFeatures(table: TableReader, count: CountSteps): Set<number> {
  const listAt = table.u16(4)
  const scripts = listAt === 0 ? 0 : table.u16(listAt)
  const required = new Set<number>()
  for (let s = 0; s < scripts; s++) {
    const scriptAt = listAt + table.u16(listAt + 2 + s * 6 + 4)
    const languages = table.u16(scriptAt + 2)
    count(languages + 1)
    const offsets = Array.from({ length: languages }, (_, l) => table.u16(scriptAt + 4 + l * 6 + 4))
    for (const offset of [table.u16(scriptAt), ...offsets]) {
      if (offset !== 0) required.add(table.u16(scriptAt + offset + 2))
    }
  }
  required.delete(NO_FEATURE)
  return required
}

/**
 * Returns the offsets of the features that replace applied features in a variable font. The conditions for such a
 * replacement may also hold for the default instance of the font.
 */
function alternateFeatures(table: TableReader, isApplied: readonly boolean[], count: CountSteps): number[] {
  const variationsAt = table.u16(2) === 0 ? 0 : table.u32(10)
  const variations = variationsAt === 0 ? 0 : table.u32(variationsAt + 4)
  count(variations)
  const alternates: number[] = []
  for (let v = 0; v < variations; v++) {
    const offset = table.u32(variationsAt + 8 + v * 8 + 4)
    if (offset === 0) continue
    const size = table.u16(variationsAt + offset + 4)
    count(size)
    for (let i = 0; i < size; i++) {
      const entry = variationsAt + offset + 6 + i * 6
      if (isApplied[table.u16(entry)] === true) alternates.push(variationsAt + offset + table.u32(entry + 2))
    }
  }
  return alternates
}

interface NestedCost {
  /** The cost of all lookups that a lookup calls, directly or through other lookups. */
  cost: number
  /** The number of levels of calls, including the lookup itself. */
  depth: number
}

/**
 * Computes, for each lookup, the highest cost of the lookups that it calls. The cost is infinite if a lookup calls
 * itself or the calls have too many levels.
 */
function nestedCosts(table: TableReader, lookups: readonly Lookup[]): NestedCost[] {
  const known: (NestedCost | undefined)[] = []
  const open = new Set<number>()

  const visit = (index: number): NestedCost => {
    const found = known[index]
    if (found !== undefined) return found
    if (open.has(index) || open.size >= FONT_LIMITS.lookupDepth) return ENDLESS
    const lookup = requireLookup(table, lookups, index)
    open.add(index)
    const rules = lookup.calls.map((calls) =>
      calls.map((called) => ({ ...visit(called), own: requireLookup(table, lookups, called).most })),
    )
    open.delete(index)
    const result = {
      cost: rules.reduce(
        (most, calls) =>
          Math.max(
            most,
            calls.reduce((sum, { own, cost }) => sum + 1 + own + cost, 0),
          ),
        0,
      ),
      depth: 1 + rules.flat().reduce((most, { depth }) => Math.max(most, depth), 0),
    }
    known[index] = result
    return result
  }
  return lookups.map((_, index) => visit(index))
}

const ENDLESS: NestedCost = { cost: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY }

function requireLookup(table: TableReader, lookups: readonly Lookup[], index: number): Lookup {
  const lookup = lookups[index]
  if (lookup === undefined) throw contradiction(table.tag, 'names a lookup that does not exist')
  return lookup
}

/** Computes the highest sum of the values of ranges at one glyph. */
function highestSum(ranges: readonly GlyphRange[]): number {
  const steps = ranges
    .flatMap(({ first, last, value }) => (last < first ? [] : [[first, value] as const, [last + 1, -value] as const]))
    .sort(([a, one], [b, other]) => a - b || one - other)
  let sum = 0
  let highest = 0
  for (const [, step] of steps) {
    sum += step
    highest = Math.max(highest, sum)
  }
  return highest
}
