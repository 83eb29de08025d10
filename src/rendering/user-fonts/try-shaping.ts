import { type Font, hb } from '../../drawing/engine.ts'
import { listFontFiles } from '../installed-fonts.ts'
import { tooComplex, unreadable } from './refuse.ts'
import { scriptOf } from './scripts.ts'

/** What one character may become. Decomposed letters and reordered vowels make a handful. */
const GLYPHS_PER_CHARACTER = 20

/** As long as a text may be. A run that is slow is extrapolated to this length, because shaping cannot be interrupted. */
const FULL_LENGTH = 10_000
const LENGTHS = [30, 100, 300, 1_000, 3_000, FULL_LENGTH]
/** No text consists of a single letter: how such a run grows is seen early. */
const LENGTHS_OF_ONE_LETTER = LENGTHS.filter((length) => length <= 1_000)

/** Time after which a run is taken as measured. Clocks that count the work of a thread go in steps of several milliseconds. */
const MEASURED_MS = 20
/** Times below this are noise when two lengths are compared. */
const COMPARABLE_MS = 4
/** The steepest growth that is assumed beyond the longest run that was shaped: it would make too much of noise. */
const MOST_GROWTH = 1.5
/** Growth with which a run is still fast enough when it is as long as a text may be: longer ones need not be shaped. */
const WORST_GROWTH = 3
/** What is slow counts only if it is slow each time, and short runs at their best: other processes get in the way. */
const SLOW_ATTEMPTS = 3
const SHORT_ATTEMPTS = 3

/**
 * How many times longer than in an installed font a run may take. Among 900 fonts of all scripts the slowest, a Nastaliq
 * with 4,000 subtables, takes 520 times as long for a mix of its letters and 1,200 times for one letter repeated; most
 * take once or twice as long. A ratio is the same on slow and on busy machines.
 */
const MOST_TIMES_SLOWER = { mixed: 900, repeated: 2_000 } as const

const SCRIPTS_TRIED = 4
const LETTERS_MIXED = 500
const COSTLIEST_MIXED = 8
const LETTERS_REPEATED = { costliest: 6, others: 12 } as const
const COSTLIEST_PAIRED = 4

/**
 * Shapes runs of characters.
 *
 * @throws {Refused} `font_unreadable` where a few characters become a flood of glyphs
 */
export function tryShaping(font: Font, runs: readonly string[]): void {
  for (const run of runs) {
    if (shape(font, run) > run.length * GLYPHS_PER_CHARACTER) {
      throw unreadable('The font turns a few characters into a flood of glyphs.')
    }
  }
}

/**
 * Shapes long runs of a font's letters, as slow as they get: mixes of the letters of each script, the same letter again
 * and again, and pairs of letters in turn. Lengths grow until the time of the longest text is known.
 *
 * @param letters the characters of the font that can be seen
 * @param costOf how much work a letter makes, by the font's own rules: where a font has slow letters, these are tried
 * @throws {Refused} `font_too_complex` where a text takes much longer than in other fonts
 */
export function tryShapingTime(font: Font, letters: readonly number[], costOf: (letter: number) => number): void {
  const costs = new Map(letters.map((letter) => [letter, costOf(letter)]))
  const byCost = letters.toSorted((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0))
  for (const group of byScript(byCost)) {
    const inOrder = group.toSorted((a, b) => a - b)
    for (const mix of [spread(inOrder, LETTERS_MIXED), shuffled(inOrder), group.slice(0, COSTLIEST_MIXED)]) {
      tryRun(font, mix, LENGTHS, MOST_TIMES_SLOWER.mixed)
    }
  }
  const repeated = [...byCost.slice(0, LETTERS_REPEATED.costliest), ...spread(letters, LETTERS_REPEATED.others)]
  for (const letter of new Set(repeated)) tryRun(font, [letter], LENGTHS_OF_ONE_LETTER, MOST_TIMES_SLOWER.repeated)
  for (const pair of pairsOf(byCost.slice(0, COSTLIEST_PAIRED))) {
    tryRun(font, pair, LENGTHS_OF_ONE_LETTER, MOST_TIMES_SLOWER.repeated)
  }
}

/** Every n-th of a list, so that `count` of them stand for all. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step)).slice(0, count)
}

/** A run begins in one script, which decides about the rules that apply to it. */
function byScript(letters: readonly number[]): number[][] {
  const groups = Map.groupBy(letters, scriptOf)
  return [...groups.values()].sort((a, b) => b.length - a.length).slice(0, SCRIPTS_TRIED)
}

/** The letters in an order that puts others beside each of them than their own does. */
function shuffled(letters: readonly number[]): number[] {
  // A prime, larger than any font has letters.
  const stride = 1_000_003
  return letters.map((_, i) => letters[(i * stride) % letters.length] ?? 0)
}

function pairsOf(letters: readonly number[]): number[][] {
  return letters.flatMap((one, i) => letters.slice(i + 1).map((other) => [one, other]))
}

function tryRun(font: Font, letters: readonly number[], lengths: readonly number[], mostTimesSlower: number): void {
  const limitMs = mostTimesSlower * baselineMs()
  for (let attempt = 0; attempt < SLOW_ATTEMPTS; attempt++) {
    const attempts = attempt === 0 ? 1 : SHORT_ATTEMPTS
    const time = (length: number) => {
      const run = runOf(letters, length)
      return timeOf(() => shape(font, run), attempts)
    }
    if (timeOfFullLength(time, lengths, limitMs) <= limitMs) return
  }
  throw tooComplex(`A text of ${FULL_LENGTH} characters takes too long to set in the font.`)
}

/** How long the longest text takes, in milliseconds, by runs that grow until that is clear. */
function timeOfFullLength(time: (length: number) => number, lengths: readonly number[], limitMs: number): number {
  let before = { length: 0, ms: 0 }
  let now = before
  for (const length of lengths) {
    before = now
    now = { length, ms: time(length) }
    if (now.ms >= MEASURED_MS || now.ms * (FULL_LENGTH / length) ** WORST_GROWTH <= limitMs) break
  }
  const growth = before.ms < COMPARABLE_MS ? 1 : Math.log(now.ms / before.ms) / Math.log(now.length / before.length)
  return now.ms * (FULL_LENGTH / now.length) ** Math.min(MOST_GROWTH, Math.max(1, growth))
}

function runOf(letters: readonly number[], length: number): string {
  return String.fromCodePoint(...Array.from({ length }, (_, i) => letters[i % letters.length] ?? 0))
}

let baseline: number | undefined

/** How long a text of `FULL_LENGTH` takes in an installed font, at best, in milliseconds. */
function baselineMs(): number {
  baseline ??= measureBaseline()
  return baseline
}

const BASELINE_FAMILY = 'Inter'
const BASELINE_ATTEMPTS = 15

function measureBaseline(): number {
  const file = listFontFiles().find(
    ({ family, weight, style }) => family === BASELINE_FAMILY && weight === 400 && style === 'normal',
  )
  if (file === undefined) throw new Error(`The font ${BASELINE_FAMILY} is not installed`)
  const font = new hb.Font(new hb.Face(new hb.Blob(file.load().bytes)))
  const run = runOf(
    Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => letter.charCodeAt(0)),
    FULL_LENGTH,
  )
  // The first attempts also compile HarfBuzz.
  return Math.min(...Array.from({ length: BASELINE_ATTEMPTS }, () => elapsedMs(() => shape(font, run))))
}

/** The time that work takes without what other processes took meanwhile, as far as that can be known. */
function timeOf(work: () => unknown, attempts: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = process.threadCpuUsage()
    const wallMs = elapsedMs(work)
    const { user, system } = process.threadCpuUsage(before)
    if (wallMs >= MEASURED_MS) return Math.min(best, Math.max(MEASURED_MS / 2, (user + system) / 1000))
    best = Math.min(best, wallMs)
  }
  return best
}

function elapsedMs(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

const buffer = new hb.Buffer()

/** Shapes a run; returns how many glyphs it became. */
function shape(font: Font, run: string): number {
  buffer.reset()
  buffer.addText(run)
  buffer.guessSegmentProperties()
  hb.shape(font, buffer, [])
  return buffer.getLength()
}
