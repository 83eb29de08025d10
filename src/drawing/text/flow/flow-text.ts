import type { FontBook, TextDirection } from '../fonts/font-book.ts'
import { layoutText, type TextLayout, type TextStyle } from '../layout.ts'
import type { TextLine } from '../place-line.ts'
import { type PreparedParagraph, prepareText } from '../unicode/prepare-text.ts'
import { type Cell, cellsOf, leadingEdge, trailingEdge } from './line-cells.ts'
import { type TracedOffset, traceOffsets } from './trace-offsets.ts'

/** A position of the caret. Lengths are in points from the top left of the box of the text. */
export interface CaretStop {
  /** UTF-16 offset in the text as the customer wrote it, between two graphemes. */
  index: number
  lineIndex: number
  xPt: number
  topPt: number
  bottomPt: number
  /** The direction of the text after the caret, or before it at the end of a line. */
  direction: TextDirection
}

/** A part of a line that a range of the text covers. */
export interface TextRect {
  lineIndex: number
  xPt: number
  widthPt: number
  topPt: number
  bottomPt: number
}

export interface TextFlow {
  layout: TextLayout
  /**
   * The caret positions line by line, in the order of the text. A position at which a line is wrapped is listed twice: at
   * the end of the line and at the start of the next one.
   */
  stops: readonly CaretStop[]
  /** Returns the caret for a click at a point, which may lie outside of the text. */
  caretAt(point: { xPt: number; yPt: number }): CaretStop
  /** Returns the caret of an index. Where a line is wrapped, returns that of the later line, unless a line is given. */
  caretOf(index: number, lineIndex?: number): CaretStop
  /** Returns the parts of the lines that a range covers. A selected line end is a narrow rectangle. */
  rectsOfRange(start: number, end: number): TextRect[]
}

interface FlowLine {
  line: TextLine
  cells: readonly Cell[]
  /** The end of the line in the prepared paragraph, with the blanks that are not drawn. */
  fullEnd: number
  isLast: boolean
  paragraph: PreparedParagraph
  stops: (CaretStop & { offset: number })[]
}

/** Lays out a text and finds the positions of the caret in it. */
export function flowText(style: TextStyle, fonts: FontBook): TextFlow {
  const layout = layoutText(style, fonts)
  const traced = traceOffsets(style.text)
  const lines = flowLines(layout, style, fonts)
  for (const [lineIndex, line] of lines.entries()) line.stops = stopsOf(line, lineIndex, traced, layout, fonts)
  const stops = lines.flatMap((line) => line.stops.map(toStop))
  const first = stops[0] ?? { index: 0, lineIndex: 0, xPt: 0, topPt: 0, bottomPt: 0, direction: 'ltr' as const }
  return {
    layout,
    stops,
    caretAt: ({ xPt, yPt }) => {
      const line = lines.findLast(({ line: { topPt } }) => topPt <= yPt) ?? lines[0]
      return line === undefined ? first : (caretInLine(line, xPt) ?? first)
    },
    caretOf: (index, lineIndex) => caretOf(stops, index, lineIndex) ?? first,
    rectsOfRange: (start, end) => rectsOfRange(lines, traced, layout, Math.min(start, end), Math.max(start, end)),
  }
}

function flowLines(layout: TextLayout, { text }: TextStyle, fonts: FontBook): FlowLine[] {
  const paragraphs = prepareText(text)
  return layout.lines.flatMap((line, i): FlowLine[] => {
    const paragraph = paragraphs[line.paragraph]
    if (paragraph === undefined) return []
    const next = layout.lines[i + 1]
    const isLast = next?.paragraph !== line.paragraph
    const cells = cellsOf(line, fonts, layout.fontSizePt)
    return [{ line, cells, fullEnd: isLast ? paragraph.text.length : next.start, isLast, paragraph, stops: [] }]
  })
}

function stopsOf(
  flow: FlowLine,
  lineIndex: number,
  traced: readonly TracedOffset[],
  layout: TextLayout,
  fonts: FontBook,
): FlowLine['stops'] {
  const { line, fullEnd } = flow
  const { topPt, heightPt } = line
  return traced.flatMap(({ index, paragraph, offset }) => {
    if (paragraph !== line.paragraph || offset < line.start || offset > fullEnd) return []
    const place = placeOf(flow, offset, layout, fonts)
    return [{ index, lineIndex, offset, ...place, topPt, bottomPt: topPt + heightPt }]
  })
}

function placeOf(
  { line, cells, paragraph }: FlowLine,
  offset: number,
  { fontSizePt }: TextLayout,
  fonts: FontBook,
): Pick<CaretStop, 'xPt' | 'direction'> {
  const base: TextDirection = paragraph.base === 1 ? 'rtl' : 'ltr'
  const last = cells.at(-1)
  if (last === undefined && offset <= line.end) return { xPt: line.xPt, direction: base }
  const cell = cells.findLast(({ start, end }) => start <= offset && offset < end)
  if (cell !== undefined) return { xPt: leadingEdge(cell), direction: cell.direction }
  if (last !== undefined && offset <= line.end) return { xPt: trailingEdge(last), direction: last.direction }
  // Blanks at the end of a line are not drawn. They continue the line in the direction of the paragraph.
  const face = line.runs.findLast((run) => run.face !== undefined)?.face
  const blanks = paragraph.text.slice(line.end, offset)
  const widthEm =
    face === undefined
      ? BLANK_EM * blanks.length
      : fonts.shape({ face, text: blanks, direction: base, spaced: false }).width
  const xPt = base === 'rtl' ? line.xPt - widthEm * fontSizePt : line.xPt + line.widthPt + widthEm * fontSizePt
  return { xPt, direction: base }
}

/** The width of a blank without a font, and of a selected line end, in em. */
const BLANK_EM = 0.25

function caretOf(stops: readonly CaretStop[], index: number, lineIndex?: number): CaretStop | undefined {
  // An index inside a grapheme counts as its start.
  const at = stops.reduce((best, stop) => (stop.index <= index && stop.index > best ? stop.index : best), 0)
  const same = stops.filter((stop) => stop.index === at)
  return same.find((stop) => stop.lineIndex === lineIndex) ?? same.at(-1)
}

function toStop({ offset: _, ...stop }: FlowLine['stops'][number]): CaretStop {
  return stop
}

function caretInLine({ cells, stops }: FlowLine, xPt: number): CaretStop | undefined {
  const cell = cells.find(({ leftPt, rightPt }) => leftPt <= xPt && xPt < rightPt)
  if (cell !== undefined) {
    const isLeft = xPt < (cell.leftPt + cell.rightPt) / 2
    const offset = isLeft === (cell.direction === 'ltr') ? cell.start : cell.end
    const stop = stops.find((known) => known.offset === offset)
    // Between runs of two directions, an offset has two places. The caret appears at the one that was clicked.
    if (stop !== undefined) return { ...toStop(stop), xPt: isLeft ? cell.leftPt : cell.rightPt }
  }
  const distance = (stop: CaretStop) => Math.abs(stop.xPt - xPt)
  const [nearest] = [...stops].sort((a, b) => distance(a) - distance(b))
  return nearest && toStop(nearest)
}

/** The greatest distance of two rectangles that are joined to one, in points. */
const JOINED_PT = 1e-6

function rectsOfRange(
  lines: readonly FlowLine[],
  traced: readonly TracedOffset[],
  { fontSizePt }: TextLayout,
  start: number,
  end: number,
): TextRect[] {
  const from = traced.findLast(({ index }) => index <= start)
  const to = traced.findLast(({ index }) => index <= end)
  if (from === undefined || to === undefined || start === end) return []
  return lines.flatMap(({ line, cells, isLast, paragraph }, lineIndex) => {
    const first = line.paragraph > from.paragraph ? 0 : line.paragraph < from.paragraph ? Infinity : from.offset
    const after = line.paragraph < to.paragraph ? Infinity : line.paragraph > to.paragraph ? -1 : to.offset
    const covered = cells.filter((cell) => cell.start >= first && cell.end <= after)
    const spans = covered.map(({ leftPt, rightPt }): [number, number] => [leftPt, rightPt])
    if (isLast && line.paragraph >= from.paragraph && line.paragraph < to.paragraph) {
      const width = BLANK_EM * fontSizePt
      const [left, right] = [line.xPt, line.xPt + line.widthPt]
      spans.push(paragraph.base === 1 ? [left - width, left] : [right, right + width])
    }
    const { topPt, heightPt } = line
    return joined(spans).map(([left, right]) => {
      return { lineIndex, xPt: left, widthPt: right - left, topPt, bottomPt: topPt + heightPt }
    })
  })
}

function joined(spans: [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [left, right] of spans.sort(([a], [b]) => a - b)) {
    const before = result.at(-1)
    if (before !== undefined && left <= before[1] + JOINED_PT) before[1] = Math.max(before[1], right)
    else result.push([left, right])
  }
  return result
}
