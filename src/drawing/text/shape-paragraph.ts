import { faceFinder } from './fonts/find-face.ts'
import type { FontBook, FontFace } from './fonts/font-book.ts'
import { directionOf, itemize, type TextUnit } from './itemize.ts'
import type { PreparedParagraph } from './unicode/prepare-text.ts'

/** A paragraph with its widths in em. These widths do not depend on the font size and the width of the box. */
export interface ShapedParagraph extends PreparedParagraph {
  units: readonly MeasuredUnit[]
  /**
   * The width in em of the text before each offset, including letter spacing. The last entry is for the end of the
   * text.
   */
  sums: readonly number[]
  /** Additional space after each letter, in em. */
  letterSpacing: number
  /** The font files to try, in order of preference. */
  faces: readonly FontFace[]
}

export interface MeasuredUnit extends TextUnit {
  /** The width in em, including the letter spacing after each cluster. */
  widthEm: number
}

/** The width of the box that is drawn for a missing character, in em. */
export const MISSING_WIDTH_EM = 0.6

/** Splits a paragraph into units and shapes them. `letterSpacing` is in em. */
export function shapeParagraph(
  paragraph: PreparedParagraph,
  faces: readonly FontFace[],
  fonts: FontBook,
  letterSpacing: number,
): ShapedParagraph {
  const units = itemize(paragraph, faces, letterSpacing !== 0) as MeasuredUnit[]
  const sums = [0]
  for (const unit of units) unit.widthEm = addSums(sums, paragraph.text, unit, fonts, letterSpacing)
  const { text, levels, base, breaks, softHyphens } = paragraph
  return { text, levels, base, breaks, softHyphens, units, sums, letterSpacing, faces }
}

/** Appends a sum to `sums` for each offset after the start of a unit. Returns the width of the unit. */
function addSums(
  sums: number[],
  text: string,
  { start, end, level, face, isSpaced }: TextUnit,
  fonts: FontBook,
  letterSpacing: number,
): number {
  const before = sums[start] ?? 0
  const run =
    face === undefined
      ? undefined
      : fonts.shape({ face, text: text.slice(start, end), direction: directionOf(level), spaced: isSpaced })
  let width = run === undefined ? MISSING_WIDTH_EM : 0
  for (let offset = start; offset < end; offset++) {
    if (run !== undefined) {
      width += run.advances[offset - start] ?? 0
      if (isSpaced && run.letters.has(offset - start)) width += letterSpacing
    }
    sums.push(before + width)
  }
  return width
}

/**
 * Tells whether a part of the paragraph consists of whole units. Cutting out such a part does not change the shape of
 * letters.
 */
export function isWhole({ units }: ShapedParagraph, start: number, end: number): boolean {
  const first = units[firstEndingAfter(units, start)]
  const after = units[firstEndingAfter(units, end)]
  return (first === undefined || first.start >= start) && (after === undefined || after.start >= end)
}

/**
 * Returns the units in a part of the paragraph. If the part begins or ends inside a unit, the piece of that unit is
 * shaped again.
 */
export function unitsBetween(paragraph: ShapedParagraph, start: number, end: number, fonts: FontBook): MeasuredUnit[] {
  const { units } = paragraph
  const found: MeasuredUnit[] = []
  for (let i = firstEndingAfter(units, start); i < units.length; i++) {
    const unit = units[i]
    if (unit === undefined || unit.start >= end) break
    found.push(unit.start >= start && unit.end <= end ? unit : cut(paragraph, unit, start, end, fonts))
  }
  return found
}

function cut(
  { text, letterSpacing }: ShapedParagraph,
  unit: MeasuredUnit,
  from: number,
  to: number,
  fonts: FontBook,
): MeasuredUnit {
  const start = Math.max(unit.start, from)
  const end = Math.min(unit.end, to)
  return { ...unit, start, end, widthEm: widthOf(text.slice(start, end), unit, fonts, letterSpacing) }
}

/** Computes the width of a text in em, with the face, direction and letter spacing of a unit. */
export function widthOf(
  text: string,
  { face, level, isSpaced }: TextUnit,
  fonts: FontBook,
  letterSpacing: number,
): number {
  if (face === undefined) return MISSING_WIDTH_EM
  const run = fonts.shape({ face, text, direction: directionOf(level), spaced: isSpaced })
  return isSpaced ? run.width + run.letters.size * letterSpacing : run.width
}

// Units are in order, so a binary search is possible. A linear search would take quadratic time for texts of many units
// and lines.
function firstEndingAfter(units: readonly TextUnit[], offset: number): number {
  let low = 0
  let high = units.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((units[middle]?.end ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return low
}

/** The hyphen that is visible at the end of a line. The line ends at a soft hyphen after a unit. */
export interface HyphenUnit extends MeasuredUnit {
  text: string
}

/** Returns a hyphen in the face of the text before it, or in the first other face that has a hyphen. */
export function hyphenAfter(
  { faces, letterSpacing }: ShapedParagraph,
  unit: MeasuredUnit,
  fonts: FontBook,
): HyphenUnit {
  const { face, text } = findHyphen(unit.face, faces)
  const hyphen = { ...unit, start: unit.end, isSolid: false, isBlank: false, face, text }
  return { ...hyphen, widthEm: widthOf(text, hyphen, fonts, letterSpacing) }
}

function findHyphen(face: FontFace | undefined, faces: readonly FontFace[]) {
  for (const text of ['\u2010', '-']) if (face?.has(text.charCodeAt(0))) return { face, text }
  return { face: faceFinder(faces).forCharacter(0x2d, face), text: '-' }
}
