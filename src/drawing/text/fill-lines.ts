import { breakOpportunities, graphemesOf } from './break-lines.ts'
import type { FontBook } from './font-book.ts'
import { clusterAdvances, type ShapedParagraph, type TextItem } from './itemize.ts'

/** A line of a paragraph: UTF-16 offsets, the blanks at its end left out. */
export interface LineRange {
  start: number
  end: number
  /** Whether the paragraph ends with this line. */
  last: boolean
}

/**
 * The most lines one paragraph is broken into; the last of them takes the rest. Far more than any box holds, it bounds
 * the time that a long text in a hair-thin box can take.
 */
export const MAX_LINES = 1_000

/** Widths are compared with this much room, in em, for the sums of floats. */
export const WIDTH_TOLERANCE_EM = 1e-6

/**
 * Fills lines greedily up to `widthEm`. A word wider than that is cut between graphemes; a single grapheme that is
 * wider still gets a line of its own, which overflows.
 */
export function fillLines(
  paragraph: ShapedParagraph,
  widthEm: number,
  fonts: FontBook,
  letterSpacing: number,
): LineRange[] {
  const { text } = paragraph
  const sums = runningSums(paragraph.advances)
  const limit = widthEm + WIDTH_TOLERANCE_EM
  // The space after a line's last letter is not seen, and does not count.
  const trailing = Math.max(0, letterSpacing)
  const fits = (start: number, end: number) =>
    (sums[trimmedEnd(text, start, end)] ?? 0) - (sums[start] ?? 0) - trailing <= limit
  const fitsExactly = (start: number, end: number) =>
    lineWidthEm(paragraph, start, trimmedEnd(text, start, end), fonts, letterSpacing) - trailing <= limit

  const breaks = breakOpportunities(text)
  const cuts = graphemeCuts(text)
  const lines: LineRange[] = []
  let start = 0
  let next = 0
  while (start < text.length) {
    if (lines.length === MAX_LINES - 1) {
      lines.push({ start, end: trimmedEnd(text, start, text.length), last: true })
      break
    }
    const first = next
    while (next < breaks.length && fits(start, breaks[next] ?? 0)) next++
    // Letters change with their neighbours, so a line cut out of its paragraph may be wider than its share of it.
    while (next > first + 1 && !fitsExactly(start, breaks[next - 1] ?? 0)) next--
    const end = next > first ? (breaks[next - 1] ?? text.length) : cuts.after(start, (cut) => fits(start, cut))
    lines.push({ start, end: trimmedEnd(text, start, end), last: end >= text.length })
    start = end
    while ((breaks[next] ?? Number.POSITIVE_INFINITY) <= start) next++
  }
  return lines.length > 0 ? lines : [{ start: 0, end: 0, last: true }]
}

/** The width of a part of a paragraph shaped on its own, in em. */
function lineWidthEm(
  { text, items }: ShapedParagraph,
  start: number,
  end: number,
  fonts: FontBook,
  letterSpacing: number,
): number {
  let width = 0
  for (const item of itemsBetween(items, start, end)) {
    for (const advance of clusterAdvances(text, item, fonts, letterSpacing)) width += advance
  }
  return width
}

/** The items that lie in a part of the paragraph, clipped to it. */
export function itemsBetween(items: readonly TextItem[], start: number, end: number): TextItem[] {
  const clipped: TextItem[] = []
  for (let i = firstEndingAfter(items, start); i < items.length; i++) {
    const item = items[i]
    if (item === undefined || item.start >= end) break
    clipped.push({ ...item, start: Math.max(item.start, start), end: Math.min(item.end, end) })
  }
  return clipped
}

// Items are in order: a binary search keeps texts of many short items and lines from taking quadratic time.
function firstEndingAfter(items: readonly TextItem[], offset: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle]?.end ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return low
}

// Blanks at which a line may end. No-break spaces are not among them.
const BLANK = /[\u0020\u1680\u2000-\u2006\u2008-\u200b\u205f\u3000]/

function trimmedEnd(text: string, start: number, end: number): number {
  let trimmed = end
  while (trimmed > start && BLANK.test(text.charAt(trimmed - 1))) trimmed--
  return trimmed
}

function runningSums(advances: Float64Array): Float64Array {
  const sums = new Float64Array(advances.length + 1)
  for (const [i, advance] of advances.entries()) sums[i + 1] = (sums[i] ?? 0) + advance
  return sums
}

// The boundaries are found once and walked forwards: a long word in a narrow box would else take quadratic time.
function graphemeCuts(text: string) {
  let ends: number[] | undefined
  let at = 0
  return {
    /** The last boundary after `start` up to which `fits` holds, at the least the first. */
    after(start: number, fits: (cut: number) => boolean): number {
      ends ??= Array.from(graphemesOf(text), ({ index, segment }) => index + segment.length)
      while ((ends[at] ?? text.length) <= start && at < ends.length) at++
      while (at + 1 < ends.length && fits(ends[at + 1] ?? text.length)) at++
      return ends[at] ?? text.length
    },
  }
}
