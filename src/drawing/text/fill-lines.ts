import type { FontBook } from './fonts/font-book.ts'
import { hyphenAfter, isWhole, type ShapedParagraph, unitsBetween } from './shape-paragraph.ts'
import { graphemesOf } from './unicode/graphemes.ts'

/** A line of a paragraph as UTF-16 offsets, without the blanks at the end of the line. */
export interface LineRange {
  start: number
  end: number
  last: boolean
  /** Whether the line ends at a soft hyphen, which is then visible. */
  hyphen: boolean
}

/**
 * The most lines of one paragraph; the last line takes the remaining text. The limit is far more than any box can hold.
 * It bounds the time for a long text in a very narrow box.
 */
export const MAX_LINES = 1_000

/** The tolerance for comparing sums of widths, in em. */
const WIDTH_TOLERANCE_EM = 1e-6

/**
 * Fills lines greedily up to `widthEm`. A word that is wider than a line is cut between graphemes. A single grapheme
 * that is wider gets a line of its own and overflows.
 */
export function fillLines(paragraph: ShapedParagraph, widthEm: number, fonts: FontBook): LineRange[] {
  const { text, breaks, softHyphens } = paragraph
  const limit = widthEm + WIDTH_TOLERANCE_EM
  const mayFit = (start: number, end: number) => shareEm(paragraph, start, end) <= limit
  const fits = (start: number, end: number) => visibleWidthEm(paragraph, start, end, fonts) <= limit
  const cuts = graphemeCuts(text)

  const lines: LineRange[] = []
  let start = 0
  let next = 0
  while (start < text.length) {
    if (lines.length === MAX_LINES - 1) {
      lines.push({ start, end: trimmedEnd(text, start, text.length), last: true, hyphen: false })
      break
    }
    const first = next
    while (next < breaks.length && mayFit(start, breaks[next] ?? 0)) next++
    // The shape of letters depends on their neighbours, so a line that is laid out alone may be wider than the same
    // characters within the paragraph.
    while (next > first && !fits(start, breaks[next - 1] ?? 0)) next--
    const end = next > first ? (breaks[next - 1] ?? text.length) : cuts.after(start, mayFit, fits)
    lines.push({ start, end: trimmedEnd(text, start, end), last: end >= text.length, hyphen: softHyphens.has(end) })
    start = end
    while ((breaks[next] ?? Number.POSITIVE_INFINITY) <= start) next++
  }
  return lines.length > 0 ? lines : [{ start: 0, end: 0, last: true, hyphen: false }]
}

/**
 * Returns a lower bound of the width of a line in em: the sum of the widths that its characters have within the
 * paragraph. A line that is laid out alone may be wider.
 */
function shareEm({ text, sums, letterSpacing }: ShapedParagraph, start: number, end: number): number {
  return (sums[trimmedEnd(text, start, end)] ?? 0) - (sums[start] ?? 0) - Math.max(0, letterSpacing)
}

function visibleWidthEm(paragraph: ShapedParagraph, start: number, end: number, fonts: FontBook): number {
  const { text, letterSpacing, levels, softHyphens } = paragraph
  const trimmed = trimmedEnd(text, start, end)
  const hyphen = softHyphens.has(end)
  if (letterSpacing === 0 && !hyphen && isWhole(paragraph, start, trimmed)) return shareEm(paragraph, start, end)
  const units = unitsBetween(paragraph, start, trimmed, fonts)
  const last = units.at(-1)
  let width = 0
  for (const { widthEm } of units) width += widthEm
  if (hyphen && last !== undefined) width += hyphenAfter(paragraph, last, fonts).widthEm
  // The spacing after the last letter is invisible. The last letter is known only if the whole text runs in one
  // direction.
  const trailing = levels === undefined && last?.isSpaced === true
  return width - (trailing ? letterSpacing : Math.min(0, letterSpacing))
}

// Tells whether a UTF-16 unit is a blank that is removed at the end of a line. No-break spaces are not removed.
function isTrimmed(code: number): boolean {
  if (code === 0x20) return true
  if (code < 0x1680) return false
  return code === 0x1680 || (code >= 0x2000 && code <= 0x200b && code !== 0x2007) || code === 0x205f || code === 0x3000
}

function trimmedEnd(text: string, start: number, end: number): number {
  let trimmed = end
  while (trimmed > start && isTrimmed(text.charCodeAt(trimmed - 1))) trimmed--
  return trimmed
}

type Check = (start: number, end: number) => boolean

// Finds the grapheme boundaries once and walks them forwards. Searching them again for each line would take quadratic
// time for a long word in a narrow box.
function graphemeCuts(text: string) {
  let ends: number[] | undefined
  let at = 0
  return {
    /** Returns the last boundary after `start` up to which the text fits, or the first boundary if none fits. */
    after(start: number, mayFit: Check, fits: Check): number {
      ends ??= Array.from(graphemesOf(text), ({ index, segment }) => index + segment.length)
      while ((ends[at] ?? text.length) <= start && at < ends.length) at++
      const first = at
      while (at + 1 < ends.length && mayFit(start, ends[at + 1] ?? text.length)) at++
      while (at > first && !fits(start, ends[at] ?? text.length)) at--
      return ends[at] ?? text.length
    },
  }
}
