import { contradiction, type TableReader } from '../sfnt/reader.ts'
import { type CountSteps, type GlyphRange, readClasses, readCoverage } from './coverage.ts'

/**
 * The cost of trying one subtable at a glyph to which it may apply. The unit is the comparison of one glyph with a
 * coverage table.
 */
export interface SubtableCost {
  /** The comparisons for each first glyph. If ranges overlap, their costs add up. */
  scan: readonly GlyphRange[]
  /** For each rule with calls, the indices of the lookups that the rule calls when it matches. */
  calls: readonly (readonly number[])[]
}

interface Rule {
  cost: number
  calls: readonly number[]
}

type ReadRule = (table: TableReader, at: number, count: CountSteps) => Rule

const NO_CALLS: readonly number[] = []

/**
 * Computes the cost of a subtable of a contextual lookup in "GSUB" or "GPOS" (OpenType, "Sequence context format 1" to
 * "3").
 */
export function contextCost(table: TableReader, at: number, count: CountSteps): SubtableCost {
  const format = table.u16(at)
  if (format === 3) {
    const glyphs = table.u16(at + 2)
    count(glyphs + 1)
    const rule = { cost: glyphs, calls: readCalls(table, at + 6 + glyphs * 2, table.u16(at + 4), count) }
    return uniformCost(readCoverage(table, at + table.u16(at + 6), count), [rule])
  }
  return ruleSetsCost(
    table,
    at,
    { format, classesAt: at + 4, setsAt: format === 1 ? at + 4 : at + 6 },
    contextRule,
    count,
  )
}

/**
 * Computes the cost of a subtable of a chained contextual lookup (OpenType, "Chained sequence context format 1" to
 * "3").
 */
export function chainedCost(table: TableReader, at: number, count: CountSteps): SubtableCost {
  const format = table.u16(at)
  if (format === 3) return chainedCoverageCost(table, at, count)
  return ruleSetsCost(
    table,
    at,
    { format, classesAt: at + 6, setsAt: format === 1 ? at + 4 : at + 10 },
    chainedRule,
    count,
  )
}

export function ligatureCost(table: TableReader, at: number, count: CountSteps): SubtableCost {
  return ruleSetsCost(table, at, { format: 1, classesAt: 0, setsAt: at + 4 }, ligatureRule, count)
}

export function reverseChainedCost(table: TableReader, at: number, count: CountSteps): SubtableCost {
  const behind = table.u16(at + 4)
  const ahead = table.u16(at + 6 + behind * 2)
  count(1)
  return uniformCost(readCoverage(table, at + table.u16(at + 2), count), [
    { cost: 1 + behind + ahead, calls: NO_CALLS },
  ])
}

/**
 * Computes the cost of a subtable without rules. In each such format, the coverage table is the first field after the
 * format.
 */
export function plainCost(table: TableReader, at: number, count: CountSteps): SubtableCost {
  return uniformCost(readCoverage(table, at + table.u16(at + 2), count), [{ cost: 1, calls: NO_CALLS }])
}

function chainedCoverageCost(table: TableReader, at: number, count: CountSteps): SubtableCost {
  const behind = table.u16(at + 2)
  const inputAt = at + 4 + behind * 2
  const input = table.u16(inputAt)
  const aheadAt = inputAt + 2 + input * 2
  const ahead = table.u16(aheadAt)
  const callsAt = aheadAt + 2 + ahead * 2
  count(1)
  const calls = readCalls(table, callsAt + 2, table.u16(callsAt), count)
  return uniformCost(readCoverage(table, at + table.u16(inputAt + 2), count), [{ cost: behind + input + ahead, calls }])
}

function uniformCost(coverage: readonly GlyphRange[], rules: readonly Rule[]): SubtableCost {
  const most = rules.reduce((sum, { cost }) => sum + cost, 0)
  return { scan: coverage.map((range) => ({ ...range, value: most })), calls: callsOf(rules) }
}

function callsOf(rules: readonly Rule[]) {
  return rules.map(({ calls }) => calls).filter((calls) => calls.length > 0)
}

/**
 * The position of the rules in a subtable. The rules are in sets: one set for each covered glyph (format 1), or for
 * each class of first glyph (format 2).
 */
interface RuleSets {
  format: number
  classesAt: number
  setsAt: number
}

function ruleSetsCost(
  table: TableReader,
  at: number,
  { format, classesAt, setsAt }: RuleSets,
  readRule: ReadRule,
  count: CountSteps,
): SubtableCost {
  if (format !== 1 && format !== 2) throw contradiction(table.tag, 'has a contextual lookup of an unknown format')
  const coverage = readCoverage(table, at + table.u16(at + 2), count)
  const sets = readRuleSets(table, at, setsAt, readRule, count)
  const costs = sets.map((rules) => rules.reduce((sum, { cost }) => sum + cost, 0))
  const scan =
    format === 1
      ? byCoverage(coverage, costs)
      : byClass(coverage, readClasses(table, at + table.u16(classesAt), count), costs)
  return { scan, calls: callsOf(sets.flat()) }
}

function readRuleSets(table: TableReader, at: number, setsAt: number, readRule: ReadRule, count: CountSteps): Rule[][] {
  const sets = table.u16(setsAt)
  count(sets + 1)
  return Array.from({ length: sets }, (_, set) => {
    const offset = table.u16(setsAt + 2 + set * 2)
    if (offset === 0) return []
    const setAt = at + offset
    const rules = table.u16(setAt)
    count(rules + 1)
    return Array.from({ length: rules }, (_, rule) => readRule(table, setAt + table.u16(setAt + 2 + rule * 2), count))
  })
}

function byCoverage(coverage: readonly GlyphRange[], costs: readonly number[]): GlyphRange[] {
  return coverage.flatMap(({ first, last, value }) => {
    // Glyphs after the last set have no rules. Limiting the range to the sets keeps the loop short, whatever range the
    // font states.
    const length = Math.max(0, Math.min(last - first + 1, costs.length - value))
    return Array.from({ length }, (_, i) => ({ first: first + i, last: first + i, value: costs[value + i] ?? 0 }))
  })
}

/**
 * Returns the costs by the class of the first glyph. Counts every glyph of a class as covered, although it need not be,
 * so the cost is an upper bound.
 */
function byClass(
  coverage: readonly GlyphRange[],
  classes: readonly GlyphRange[],
  costs: readonly number[],
): GlyphRange[] {
  const named = classes.map((range) => ({ ...range, value: costs[range.value] ?? 0 }))
  const others = costs[0] ?? 0
  return others === 0 ? named : [...named, ...coverage.map((range) => ({ ...range, value: others }))]
}

function contextRule(table: TableReader, at: number, count: CountSteps): Rule {
  const glyphs = table.u16(at)
  const calls = table.u16(at + 2)
  return { cost: Math.max(1, glyphs), calls: readCalls(table, at + 4 + Math.max(0, glyphs - 1) * 2, calls, count) }
}

function chainedRule(table: TableReader, at: number, count: CountSteps): Rule {
  const behind = table.u16(at)
  const inputAt = at + 2 + behind * 2
  const input = table.u16(inputAt)
  const aheadAt = inputAt + 2 + Math.max(0, input - 1) * 2
  const ahead = table.u16(aheadAt)
  const callsAt = aheadAt + 2 + ahead * 2
  return { cost: Math.max(1, behind + input + ahead), calls: readCalls(table, callsAt + 2, table.u16(callsAt), count) }
}

function ligatureRule(table: TableReader, at: number): Rule {
  const glyphs = table.u16(at + 2)
  table.requireRange(at + 4, Math.max(0, glyphs - 1) * 2)
  return { cost: Math.max(1, glyphs), calls: NO_CALLS }
}

function readCalls(table: TableReader, at: number, size: number, count: CountSteps): number[] {
  count(size)
  return Array.from({ length: size }, (_, i) => table.u16(at + i * 4 + 2))
}
