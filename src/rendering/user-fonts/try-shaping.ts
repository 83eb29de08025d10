import { type Font, GLYPHS_PER_CHARACTER, hb } from '../../drawing/engine.ts'
import { listFontFiles } from '../installed-fonts/installed-fonts.ts'
import { scriptOf } from './scripts.ts'
import { FONT_LIMITS, tooComplex, unreadable } from './sfnt/refuse.ts'

/**
 * The maximum length of a text layer. The time for a text of this length is extrapolated from shorter runs, because
 * shaping cannot be interrupted.
 */
const FULL_LENGTH = 10_000
const LENGTHS = [30, 100, 300, 1_000, 3_000, FULL_LENGTH]
/**
 * Runs that repeat one letter are shorter, because real texts do not contain them and the growth of their time is
 * visible early.
 */
const LENGTHS_OF_ONE_LETTER = LENGTHS.filter((length) => length <= 1_000)

/** In the first measurement, a run of at least this length and time is long enough for an extrapolation. */
const MEASURED_LENGTH = 1_000
const MEASURED_MS = 20
/**
 * Times below `COMPARABLE_MS` are too short for measuring growth. If the measured growth is above `CLEAR_GROWTH`, the
 * extrapolation uses the exponent `ASSUMED_GROWTH`, which is smaller, so that noise is not multiplied.
 */
const COMPARABLE_MS = 4
const CLEAR_GROWTH = 1.3
const ASSUMED_GROWTH = 1.25
/**
 * The largest exponent of growth that is considered possible. If a run would stay below the limit even with this
 * growth, longer runs need not be shaped.
 */
const WORST_GROWTH = 3
/**
 * In the first measurement, half of the limit is enough to suspect a font, because other processes may have slowed down
 * the measurement of the installed font.
 */
const SUSPECTED_SHARE = 0.5
/**
 * For how long the exact measurement repeats the same work. The processor time of a thread is counted in steps of some
 * milliseconds.
 */
const EXACT_MS = 40
/** The exact measurement only uses runs of at least this length. */
const EXACT_LENGTH = 300

/**
 * How many times longer than in an installed font a run may take. This ratio does not depend on the speed and the load
 * of the computer. Most of 900 tested fonts of all scripts take once or twice as long. The slowest one, a Nastaliq with
 * 4,000 subtables, takes 520 times as long for a mix of its letters and 1,200 times as long for one repeated letter.
 */
const MOST_TIMES_SLOWER = { mixed: 900, repeated: 2_000 } as const

const SCRIPTS_TRIED = 4
const LETTERS_MIXED = 500
const COSTLIEST_MIXED = 8
const LETTERS_REPEATED = { costliest: 4, others: 8 } as const
const COSTLIEST_PAIRED = 3

/**
 * Shapes runs of characters.
 *
 * @throws {Refused} `font_unreadable` if a few characters produce too many glyphs
 */
export function tryShaping(font: Font, runs: readonly string[]): void {
  for (const run of runs) {
    if (shape(font, run) > run.length * GLYPHS_PER_CHARACTER) {
      throw unreadable('The font produces too many glyphs for a few characters.')
    }
  }
}

/**
 * Shapes long runs of the letters of a font to find the slowest: mixes of the letters of each script, one repeated
 * letter, and alternating pairs of letters. The length of the runs grows until the time for the longest text is known.
 *
 * @param letters the visible characters of the font
 * @param costOf returns the work for a letter by the rules of the font. The letters with the most work are tried
 * @throws {Refused} `font_too_complex` if the rules make too much work for most letters, or if a text takes much longer
 * than in other fonts
 */
export function tryShapingTime(font: Font, letters: readonly number[], costOf: (letter: number) => number): void {
  const costs = new Map(letters.map((letter) => [letter, costOf(letter)]))
  const total = costs.values().reduce((sum, cost) => sum + cost, 0)
  if (total > FONT_LIMITS.comparisonsPerLetter * letters.length) {
    throw tooComplex('The font has too many shaping rules per letter on average.')
  }
  const byCost = letters.toSorted((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0))
  for (const group of byScript(byCost)) {
    const inOrder = group.toSorted((a, b) => a - b)
    for (const mix of [group.slice(0, COSTLIEST_MIXED), spread(inOrder, LETTERS_MIXED), shuffled(inOrder)]) {
      tryRun(font, mix, LENGTHS, MOST_TIMES_SLOWER.mixed)
    }
  }
  const repeated = [...byCost.slice(0, LETTERS_REPEATED.costliest), ...spread(letters, LETTERS_REPEATED.others)]
  for (const letter of new Set(repeated)) tryRun(font, [letter], LENGTHS_OF_ONE_LETTER, MOST_TIMES_SLOWER.repeated)
  for (const pair of pairsOf(byCost.slice(0, COSTLIEST_PAIRED))) {
    tryRun(font, pair, LENGTHS_OF_ONE_LETTER, MOST_TIMES_SLOWER.repeated)
  }
}

/** Selects `count` items that are spread evenly over a list. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step)).slice(0, count)
}

/** Groups letters by script. A run must have letters of one script, because the script selects the rules that apply. */
function byScript(letters: readonly number[]): number[][] {
  const groups = Map.groupBy(letters, scriptOf)
  return [...groups.values()].sort((a, b) => b.length - a.length).slice(0, SCRIPTS_TRIED)
}

/** Reorders the letters, so that each letter gets different neighbours. */
function shuffled(letters: readonly number[]): number[] {
  // A prime that is larger than the number of letters in any font, so that each letter occurs once.
  const stride = 1_000_003
  return letters.map((_, i) => letters[(i * stride) % letters.length] ?? 0)
}

function pairsOf(letters: readonly number[]): number[][] {
  return letters.flatMap((one, i) => letters.slice(i + 1).map((other) => [one, other]))
}

function tryRun(font: Font, letters: readonly number[], lengths: readonly number[], mostTimesSlower: number): void {
  const timesWith = (time: TimeOf) => (length: number) => time(font, runOf(letters, length))
  const { font: installed, run, wallMs } = baseline()
  const suspectedMs = mostTimesSlower * SUSPECTED_SHARE * wallMs
  if (
    timeOfFullLength(timesWith(wallTimeOf), { lengths, limitMs: suspectedMs, measuredMs: MEASURED_MS }) <= suspectedMs
  ) {
    return
  }
  // The installed font is measured again, because the current load of the computer slows down both fonts.
  const limitMs = mostTimesSlower * threadTimeOf(installed, run)
  const exact = { lengths: lengths.filter((length) => length >= EXACT_LENGTH), limitMs, measuredMs: limitMs }
  if (timeOfFullLength(timesWith(threadTimeOf), exact) > limitMs) {
    throw tooComplex(`A text of ${FULL_LENGTH} characters takes too long to lay out in the font.`)
  }
}

/**
 * Estimates how long the longest text takes, in milliseconds. Measures longer and longer runs until the result is clear
 * or a run takes at least `measuredMs`.
 */
function timeOfFullLength(
  time: (length: number) => number,
  { lengths, limitMs, measuredMs }: { lengths: readonly number[]; limitMs: number; measuredMs: number },
): number {
  let before = { length: 0, ms: 0 }
  let now = before
  for (const length of lengths) {
    before = now
    now = { length, ms: time(length) }
    const share = FULL_LENGTH / length
    if (now.ms * share > limitMs || now.ms * share ** WORST_GROWTH <= limitMs) break
    if (length >= MEASURED_LENGTH && now.ms >= measuredMs && before.ms >= COMPARABLE_MS) break
  }
  const growth = before.ms < COMPARABLE_MS ? 1 : Math.log(now.ms / before.ms) / Math.log(now.length / before.length)
  return now.ms * (FULL_LENGTH / now.length) ** (growth > CLEAR_GROWTH ? ASSUMED_GROWTH : 1)
}

function runOf(letters: readonly number[], length: number): string {
  return String.fromCodePoint(...Array.from({ length }, (_, i) => letters[i % letters.length] ?? 0))
}

interface Baseline {
  /** An installed font, and in `run` a text of `FULL_LENGTH` characters for it. */
  font: Font
  run: string
  /** The shortest measured time for the text, in milliseconds of wall-clock time. */
  wallMs: number
}

const BASELINE_FAMILY = 'Inter'
const BASELINE_ATTEMPTS = 15

let knownBaseline: Baseline | undefined

function baseline(): Baseline {
  knownBaseline ??= measureBaseline()
  return knownBaseline
}

function measureBaseline(): Baseline {
  const file = listFontFiles().find(
    ({ family, weight, style }) => family === BASELINE_FAMILY && weight === 400 && style === 'normal',
  )
  if (file === undefined) throw new Error(`The font ${BASELINE_FAMILY} is not installed`)
  const font = new hb.Font(new hb.Face(new hb.Blob(file.load().bytes)))
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => letter.charCodeAt(0))
  const run = runOf(letters, FULL_LENGTH)
  // Only the shortest time counts, because the first attempts include compiling HarfBuzz.
  const wallMs = Math.min(...Array.from({ length: BASELINE_ATTEMPTS }, () => wallTimeOf(font, run)))
  return { font, run, wallMs }
}

/** Measures how many milliseconds shaping a run takes. */
type TimeOf = (font: Font, run: string) => number

function wallTimeOf(font: Font, run: string): number {
  const start = performance.now()
  shape(font, run)
  return performance.now() - start
}

/** Measures the processor time of this thread, which does not depend on other load. */
function threadTimeOf(font: Font, run: string): number {
  const before = process.threadCpuUsage()
  for (let repeats = 1; ; repeats++) {
    shape(font, run)
    const { user, system } = process.threadCpuUsage(before)
    const elapsedMs = (user + system) / 1000
    if (elapsedMs >= EXACT_MS) return elapsedMs / repeats
  }
}

const buffer = new hb.Buffer()

/** Shapes a run and returns the number of its glyphs. */
function shape(font: Font, run: string): number {
  buffer.reset()
  buffer.addText(run)
  buffer.guessSegmentProperties()
  hb.shape(font, buffer, [])
  return buffer.getLength()
}
