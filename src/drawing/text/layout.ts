import type { TextLayer } from '../document.ts'
import { mmToPt } from '../shapes/units.ts'
import { visualOrder, withoutOverrides } from './bidi.ts'
import { graphemesOf, paragraphsOf } from './break-lines.ts'
import { fillLines, itemsBetween, type LineRange } from './fill-lines.ts'
import type { FontBook, FontFace, TextDirection } from './font-book.ts'
import { clusterAdvances, directionOf, type ShapedParagraph, shapeParagraph, type TextItem } from './itemize.ts'

/** A piece of a line to draw at once: one direction, one font file. Positions are points from the box's top left. */
export interface PositionedRun {
  text: string
  /** Undefined for characters that no font has; a box is drawn in their place. */
  face: FontFace | undefined
  direction: TextDirection
  xPt: number
  baselineYPt: number
  widthPt: number
  /** 0 where letters join. */
  letterSpacingEm: number
}

export interface TextLine {
  xPt: number
  topPt: number
  widthPt: number
  heightPt: number
  /** In visual order, left to right. */
  runs: PositionedRun[]
}

export interface TextLayout {
  fontSizePt: number
  lines: TextLine[]
  /** Of the widest line. */
  widthPt: number
  /** Of all lines together. */
  heightPt: number
  /** Whether the layer's family is installed; if not, the installed families are used in their order. */
  familyKnown: boolean
  /** Characters (grapheme clusters) that no font has, each once. */
  missing: string[]
}

type TextStyle = Pick<
  TextLayer,
  | 'text'
  | 'fontFamily'
  | 'fontWeight'
  | 'fontStyle'
  | 'fontSizePt'
  | 'align'
  | 'verticalAlign'
  | 'lineHeight'
  | 'letterSpacing'
  | 'width'
  | 'height'
>

/**
 * Lays out a text in its box from the font files alone, so that the result is the same everywhere: UAX #9 for
 * direction, UAX #14 for line ends, HarfBuzz for widths. Lines have the height `lineHeight` times the size, with the
 * font's ascent and descent centred in it, as in CSS. Nothing is clipped: what does not fit sticks out. The result is
 * shared between calls: do not change it.
 */
export function layoutText(style: TextStyle, fonts: FontBook): TextLayout {
  if (style.text.length > CACHED_TEXT_LENGTH) return computeLayout(style, fonts)
  const key = layoutKey(style)
  const known = layouts.get(fonts) ?? new Map<string, TextLayout>()
  layouts.set(fonts, known)
  const found = known.get(key)
  if (found !== undefined) return found
  const layout = computeLayout(style, fonts)
  if (known.size >= CACHED_LAYOUTS) known.clear()
  known.set(key, layout)
  return layout
}

// One text is laid out when it is checked, hashed and drawn, and most of a design is unchanged from save to save.
const layouts = new WeakMap<FontBook, Map<string, TextLayout>>()
const CACHED_LAYOUTS = 500
const CACHED_TEXT_LENGTH = 500

function layoutKey(style: TextStyle): string {
  return JSON.stringify([
    style.text,
    style.fontFamily,
    style.fontWeight,
    style.fontStyle,
    style.fontSizePt,
    style.align,
    style.verticalAlign,
    style.lineHeight,
    style.letterSpacing,
    style.width,
    style.height,
  ])
}

function computeLayout(style: TextStyle, fonts: FontBook): TextLayout {
  const { fontSizePt: size, letterSpacing } = style
  const { faces, familyKnown } = chooseFaces(style, fonts)
  const paragraphs = paragraphsOf(preparedText(style.text)).map((text) =>
    shapeParagraph(text, faces, fonts, letterSpacing),
  )
  const widthPt = mmToPt(style.width)
  const ranges = paragraphs.flatMap((paragraph) =>
    fillLines(paragraph, widthPt / size, fonts, letterSpacing).map((range) => ({ paragraph, range })),
  )
  const heightPt = style.lineHeight * size
  const heightOfAll = heightPt * ranges.length
  const top = { top: 0, middle: 0.5, bottom: 1 }[style.verticalAlign] * (mmToPt(style.height) - heightOfAll)
  const baseline = baselineOffset(faces[0], size, heightPt)
  const lines = ranges.map(({ paragraph, range }, i): TextLine => {
    const topPt = top + i * heightPt
    const placed = placeLine(paragraph, range, { style, fonts, widthPt, baselineYPt: topPt + baseline })
    return { ...placed, topPt, heightPt }
  })
  return {
    fontSizePt: size,
    lines,
    widthPt: lines.reduce((widest, line) => Math.max(widest, line.widthPt), 0),
    heightPt: heightOfAll,
    familyKnown,
    missing: missingCharacters(paragraphs),
  }
}

function chooseFaces(style: TextStyle, fonts: FontBook): { faces: readonly FontFace[]; familyKnown: boolean } {
  const request = { family: style.fontFamily, weight: style.fontWeight, style: style.fontStyle }
  const faces = fonts.facesFor(request)
  if (faces.length > 0) return { faces, familyKnown: true }
  return { faces: fonts.facesFor({ ...request, family: fonts.families[0]?.family ?? '' }), familyKnown: false }
}

// Fonts hold composed characters, and controls other than line ends have no meaning here.
function preparedText(text: string): string {
  return withoutOverrides(text.normalize('NFC').replaceAll('\t', '    ').replaceAll(CONTROLS, ''))
}

const CONTROLS = /(?![\n\v\f\r\u0085])\p{Cc}/gu

function baselineOffset(face: FontFace | undefined, size: number, lineHeightPt: number): number {
  const { ascent, descent } = face ?? { ascent: 0.8, descent: 0.2 }
  return (lineHeightPt - (ascent + descent) * size) / 2 + ascent * size
}

interface LinePlacement {
  style: TextStyle
  fonts: FontBook
  widthPt: number
  baselineYPt: number
}

type Piece = TextItem & { widthPt: number; opensGap: boolean }

function placeLine(
  paragraph: ShapedParagraph,
  range: LineRange,
  { style, fonts, widthPt, baselineYPt }: LinePlacement,
): Pick<TextLine, 'xPt' | 'widthPt' | 'runs'> {
  const justified = style.align === 'justify' && !range.last
  const pieces = visualOrder(piecesOf(paragraph, range, style, fonts, justified))
  const natural = pieces.reduce((sum, piece) => sum + piece.widthPt, 0) - trailingSpace(pieces, style)
  const gaps = pieces.filter(({ opensGap }) => opensGap).length
  const gapPt = justified && gaps > 0 ? Math.max(0, widthPt - natural) / gaps : 0
  const lineWidthPt = natural + gapPt * gaps
  const xPt = startOfLine(style.align, widthPt - lineWidthPt, paragraph.base)
  let x = xPt
  const runs = pieces.map((piece): PositionedRun => {
    const direction = directionOf(piece.level)
    const gap = piece.opensGap ? gapPt : 0
    // A word's blank follows it in reading direction: to its left in a right-to-left run.
    const run = {
      text: paragraph.text.slice(piece.start, piece.end),
      face: piece.face,
      direction,
      xPt: direction === 'rtl' ? x + gap : x,
      baselineYPt,
      widthPt: piece.widthPt,
      letterSpacingEm: piece.spaced ? style.letterSpacing : 0,
    }
    x += piece.widthPt + gap
    return run
  })
  return { xPt, widthPt: lineWidthPt, runs }
}

function piecesOf(
  { text, items }: ShapedParagraph,
  { start, end }: LineRange,
  style: TextStyle,
  fonts: FontBook,
  justified: boolean,
): Piece[] {
  const clipped = itemsBetween(items, start, end)
  const parts = justified ? clipped.flatMap((item) => splitAfterBlanks(text, item)) : clipped
  return parts.map((part) => {
    let widthEm = 0
    for (const advance of clusterAdvances(text, part, fonts, style.letterSpacing)) widthEm += advance
    const opensGap = justified && part.end < end && text.charAt(part.end - 1) === ' '
    return { ...part, widthPt: widthEm * style.fontSizePt, opensGap }
  })
}

function splitAfterBlanks(text: string, item: TextItem): TextItem[] {
  const parts: TextItem[] = []
  let { start } = item
  for (let i = item.start; i < item.end; i++) {
    if (text.charAt(i) !== ' ' || i + 1 === item.end) continue
    parts.push({ ...item, start, end: i + 1 })
    start = i + 1
  }
  parts.push({ ...item, start })
  return parts
}

// Letter spacing follows each letter; after a line's last one it would set the line off-centre.
function trailingSpace(pieces: readonly Piece[], style: TextStyle): number {
  const last = pieces.at(-1)
  return last?.spaced && directionOf(last.level) === 'ltr' ? style.letterSpacing * style.fontSizePt : 0
}

function startOfLine(align: TextLayer['align'], roomPt: number, base: number): number {
  if (align === 'center') return roomPt / 2
  if (align === 'right') return roomPt
  // The last line of a justified paragraph stays at the side where reading begins.
  return align === 'justify' && base === 1 ? roomPt : 0
}

function missingCharacters(paragraphs: readonly ShapedParagraph[]): string[] {
  const missing = new Set<string>()
  for (const { text, items } of paragraphs) {
    for (const { start, end, face } of items) {
      if (face !== undefined) continue
      for (const { segment } of graphemesOf(text.slice(start, end))) missing.add(segment)
    }
  }
  return [...missing]
}
