import type { TextLayer } from '../document/text-layer.ts'
import type { LineRange } from './fill-lines.ts'
import type { FontBook, FontFace, TextDirection } from './fonts/font-book.ts'
import { directionOf } from './itemize.ts'
import { hyphenAfter, type MeasuredUnit, type ShapedParagraph, unitsBetween, widthOf } from './shape-paragraph.ts'
import { visualOrder } from './unicode/bidi.ts'
import { graphemesOf } from './unicode/graphemes.ts'

/**
 * A part of a line to draw in one call: a word or a run of blanks, with one direction and one font file. Positions are
 * in points from the top left of the box.
 */
export interface PositionedRun {
  text: string
  /** The part of the prepared paragraph that the run shows, as UTF-16 offsets. It is empty for an added hyphen. */
  start: number
  end: number
  /** The font file; undefined for a character that no font has. Drawing shows a box for such a character. */
  face: FontFace | undefined
  direction: TextDirection
  xPt: number
  baselineYPt: number
  widthPt: number
  /** The space that justification adds after the run in reading direction, or within a run of blanks. */
  gapPt: number
  /** Letter spacing in em; 0 for scripts whose letters join. */
  letterSpacingEm: number
}

export interface TextLine {
  /** The index of the prepared paragraph, and the part of it that the line shows, without blanks at its end. */
  paragraph: number
  start: number
  end: number
  xPt: number
  topPt: number
  widthPt: number
  heightPt: number
  /** The runs in visual order, from left to right. */
  runs: PositionedRun[]
}

export interface LinePlacement {
  align: TextLayer['align']
  sizePt: number
  /** The width of the box of the text, in points. */
  widthPt: number
  baselineYPt: number
}

/** A unit of a line as `placeLine` draws it. Some pieces are parts of a unit of the paragraph. */
interface Piece extends MeasuredUnit {
  /** The text, for a piece that is not part of the paragraph: the hyphen at a soft hyphen. */
  text?: string
}

export function placeLine(
  paragraph: ShapedParagraph,
  range: LineRange,
  fonts: FontBook,
  placement: LinePlacement,
): Pick<TextLine, 'xPt' | 'widthPt' | 'runs'> {
  const { align, sizePt, widthPt } = placement
  const justified = align === 'justify' && !range.last
  const logical = piecesOf(paragraph, range, fonts, justified)
  const gaps = justified ? gapsAfter(logical, paragraph.text) : undefined
  const pieces = visualOrder(logical)
  const natural = visibleWidthEm(pieces, paragraph.letterSpacing) * sizePt
  const gapCount = gaps === undefined ? 0 : sum(gaps.values())
  const gapPt = gapCount > 0 ? Math.max(0, widthPt - natural) / gapCount : 0
  const lineWidthPt = natural + gapPt * gapCount
  const xPt = startOfLine(align, widthPt - lineWidthPt, paragraph.base)
  const runs: PositionedRun[] = []
  let x = xPt
  for (const piece of pieces) {
    const gap = gaps === undefined ? 0 : (gaps.get(piece) ?? 0) * gapPt
    const run = runOf(piece, paragraph, placement, x, gap)
    if (run.text !== ZERO_WIDTH_SPACE) runs.push(run)
    x += run.widthPt + gap
  }
  return { xPt, widthPt: lineWidthPt, runs }
}

function runOf(
  { text, start, end, level, face, isSpaced, widthEm }: Piece,
  paragraph: ShapedParagraph,
  { sizePt, baselineYPt }: LinePlacement,
  x: number,
  gap: number,
): PositionedRun {
  const direction = directionOf(level)
  return {
    text: text ?? paragraph.text.slice(start, end),
    start,
    end,
    face,
    direction,
    // The added space follows the piece in reading direction, so in a right-to-left run it lies to the left of the
    // piece.
    xPt: direction === 'rtl' ? x + gap : x,
    baselineYPt,
    widthPt: widthEm * sizePt,
    gapPt: gap,
    letterSpacingEm: isSpaced ? paragraph.letterSpacing : 0,
  }
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

const ZERO_WIDTH_SPACE = '\u200b'

// Letter spacing follows each letter, also the last one. Without subtracting the last spacing, centred and
// right-aligned lines would be displaced.
function visibleWidthEm(pieces: readonly Piece[], letterSpacing: number): number {
  let width = 0
  for (const { widthEm } of pieces) width += widthEm
  return pieces.at(-1)?.isSpaced === true ? width - letterSpacing : width
}

function startOfLine(align: TextLayer['align'], roomPt: number, base: number): number {
  if (align === 'center') return roomPt / 2
  if (align === 'right') return roomPt
  // The last line of a justified paragraph stays at the side where reading begins.
  return align === 'justify' && base === 1 ? roomPt : 0
}

function piecesOf(paragraph: ShapedParagraph, range: LineRange, fonts: FontBook, justified: boolean): Piece[] {
  const units = unitsBetween(paragraph, range.start, range.end, fonts)
  const pieces: Piece[] = justified
    ? units.flatMap((unit) => (unit.isSolid ? onePerCharacter(unit, paragraph, fonts) : [unit]))
    : units
  const last = pieces.at(-1)
  if (range.hyphen && last !== undefined) pieces.push(hyphenAfter(paragraph, last, fonts))
  return pieces
}

function onePerCharacter(unit: MeasuredUnit, { text, letterSpacing }: ShapedParagraph, fonts: FontBook): Piece[] {
  return Array.from(graphemesOf(text.slice(unit.start, unit.end)), ({ index, segment }) => {
    const start = unit.start + index
    return { ...unit, start, end: start + segment.length, widthEm: widthOf(segment, unit, fonts, letterSpacing) }
  })
}

/**
 * Counts the places at which justification adds space after a piece or within a run of blanks. These are spaces and the
 * boundaries of characters that are set solid, as in browsers and in Japanese typesetting.
 */
function gapsAfter(pieces: readonly Piece[], text: string): Map<Piece, number> {
  const gaps = new Map<Piece, number>()
  for (const [i, piece] of pieces.entries()) {
    const next = pieces[i + 1]
    const isWordSpace =
      piece.isBlank && (text.charCodeAt(piece.start) === 0x20 || text.charCodeAt(piece.start) === 0xa0)
    if (isWordSpace) gaps.set(piece, piece.end - piece.start)
    else if (next !== undefined && !next.isBlank && (piece.isSolid || next.isSolid)) gaps.set(piece, 1)
  }
  return gaps
}
