import type { TextLayer } from '../document/text-layer.ts'
import { mmToPt } from '../shapes/units.ts'
import { createTextCache, type TextCache } from '../text-cache.ts'
import { fillLines } from './fill-lines.ts'
import type { FontBook, FontFace } from './fonts/font-book.ts'
import { type LinePlacement, placeLine, type TextLine } from './place-line.ts'
import { type ShapedParagraph, shapeParagraph } from './shape-paragraph.ts'
import { prepareText } from './unicode/prepare-text.ts'

export interface TextLayout {
  fontSizePt: number
  lines: TextLine[]
  widthPt: number
  /** The height of all lines together. */
  heightPt: number
  /** Whether the family of the layer is installed. If not, layout uses the installed families in their order. */
  familyKnown: boolean
  /** The characters (grapheme clusters) that no font has, each listed once. */
  missing: readonly string[]
}

export type TextStyle = Pick<
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
 * Lays out a text in its box. The result depends only on the text and the font files, so it is the same on every
 * computer: UAX #9 for direction, UAX #14 for line breaks, HarfBuzz for widths. Lines have the height `lineHeight`
 * times the size, with the ascent and descent of the font centred in it, as in CSS. Text that does not fit overflows
 * the box; nothing is clipped.
 */
export function layoutText(style: TextStyle, fonts: FontBook): TextLayout {
  const known = textsOf(fonts)
  const key = `${style.fontWeight} ${style.fontStyle} ${style.letterSpacing} ${style.fontFamily}\n${style.text}`
  let shaped = known.get(key)
  if (shaped === undefined) {
    shaped = shapeText(style, fonts)
    known.set(key, shaped)
  }
  return placeText(shaped, style, fonts)
}

// Caches shaped texts, because the service lays out a text for checks, hashing and drawing, and at several sizes if the
// text does not fit. Between two saves of a design, most texts are unchanged. Placing shaped text takes little time.
const texts = new WeakMap<FontBook, TextCache<ShapedText>>()

function textsOf(fonts: FontBook): TextCache<ShapedText> {
  const known = texts.get(fonts)
  if (known !== undefined) return known
  const created = createTextCache<ShapedText>()
  texts.set(fonts, created)
  return created
}

/** The part of a layout that does not depend on the font size and the box. */
interface ShapedText {
  paragraphs: readonly ShapedParagraph[]
  firstFace: FontFace | undefined
  familyKnown: boolean
  missing: readonly string[]
}

function shapeText(style: TextStyle, fonts: FontBook): ShapedText {
  const { faces, familyKnown } = chooseFaces(style, fonts)
  const paragraphs = prepareText(style.text).map((paragraph) =>
    shapeParagraph(paragraph, faces, fonts, style.letterSpacing),
  )
  return { paragraphs, firstFace: faces[0], familyKnown, missing: missingCharacters(paragraphs) }
}

function chooseFaces(style: TextStyle, fonts: FontBook): { faces: readonly FontFace[]; familyKnown: boolean } {
  const request = { family: style.fontFamily, weight: style.fontWeight, style: style.fontStyle }
  const faces = fonts.facesFor(request)
  if (faces.length > 0) return { faces, familyKnown: true }
  return { faces: fonts.facesFor({ ...request, family: fonts.families[0]?.family ?? '' }), familyKnown: false }
}

function missingCharacters(paragraphs: readonly ShapedParagraph[]): string[] {
  const missing = new Set<string>()
  for (const { text, units } of paragraphs) {
    for (const { start, end, face } of units) if (face === undefined) missing.add(text.slice(start, end))
  }
  return [...missing]
}

function placeText(text: ShapedText, style: TextStyle, fonts: FontBook): TextLayout {
  const size = style.fontSizePt
  const widthPt = mmToPt(style.width)
  const ranges = text.paragraphs.flatMap((paragraph, index) =>
    fillLines(paragraph, widthPt / size, fonts).map((range) => ({ paragraph, index, range })),
  )
  const heightPt = style.lineHeight * size
  const heightOfAll = heightPt * ranges.length
  const top = { top: 0, middle: 0.5, bottom: 1 }[style.verticalAlign] * (mmToPt(style.height) - heightOfAll)
  const baseline = baselineOffset(text.firstFace, size, heightPt)
  const lines = ranges.map(({ paragraph, index, range }, i): TextLine => {
    const topPt = top + i * heightPt
    const placement: LinePlacement = { align: style.align, sizePt: size, widthPt, baselineYPt: topPt + baseline }
    const { start, end } = range
    return { paragraph: index, start, end, ...placeLine(paragraph, range, fonts, placement), topPt, heightPt }
  })
  return {
    fontSizePt: size,
    lines,
    widthPt: lines.reduce((widest, line) => Math.max(widest, line.widthPt), 0),
    heightPt: heightOfAll,
    familyKnown: text.familyKnown,
    missing: text.missing,
  }
}

function baselineOffset(face: FontFace | undefined, size: number, lineHeightPt: number): number {
  const { ascent, descent } = face ?? { ascent: 0.8, descent: 0.2 }
  return (lineHeightPt - (ascent + descent) * size) / 2 + ascent * size
}
