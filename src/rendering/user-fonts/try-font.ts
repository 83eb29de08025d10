import { hash } from 'node:crypto'
import { GlobalFonts, PDFDocument } from '@napi-rs/canvas'
import { type Font, hb } from '../../drawing/engine.ts'
import { FONT_LIMITS, tooComplex, unreadable, unsupported } from './sfnt/refuse.ts'
import { spread, tryShaping, tryShapingTime } from './try-shaping.ts'

/** How many characters are shaped and drawn. They are selected evenly from all characters of the font. */
const TRIED_CHARACTERS = 500
const CHARACTERS_PER_RUN = 50

/** Noncharacters (Unicode, section 23.7). A font that has glyphs for them maps all code points to glyphs. */
const NO_CHARACTERS = [0x1fffe, 0x10ffff]

const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\p{Cs}]/u

/**
 * Uses a font as finalization does: reads outlines, shapes characters, and draws them into a PDF. If this fails, hangs
 * or crashes, it affects only this process.
 *
 * @param comparisons the work for each glyph, as `checkLayout` returns it
 * @returns the code points for which the font has glyphs
 * @throws {Refused} if the font cannot be used
 */
export function tryFont(sfnt: Uint8Array, comparisons: Float64Array): readonly number[] {
  const face = new hb.Face(new hb.Blob(sfnt))
  const font = new hb.Font(face)
  const codePoints = [...face.collectUnicodes()]
  if (codePoints.length > FONT_LIMITS.codePoints || NO_CHARACTERS.some((codePoint) => hasGlyph(font, codePoint))) {
    throw unreadable('The font claims to have more characters than any font can have.')
  }
  checkLineMetrics(font, face.upem)
  checkOutlines(font, comparisons.length)
  const visible = codePoints.filter((codePoint) => !INVISIBLE.test(String.fromCodePoint(codePoint)))
  const drawn = visible.filter((codePoint) => hasOutline(font, codePoint))
  // In colour fonts, the outlines of the letters are often blank.
  if (drawn.length === 0 || drawn.length < visible.length / 2) {
    throw unsupported('Most characters of the font have no outline: bitmap and colour fonts cannot be printed sharply.')
  }
  const runs = runsOf(spread(drawn, TRIED_CHARACTERS))
  tryShaping(font, runs)
  // Each letter is shaped separately, because one letter that produces too many glyphs could go unnoticed among
  // thousands.
  tryShaping(
    font,
    visible.map((codePoint) => String.fromCodePoint(codePoint)),
  )
  tryShapingTime(font, visible, (codePoint) => comparisons[font.nominalGlyph(codePoint) ?? 0] ?? 0)
  tryDrawing(sfnt, runs)
  return codePoints
}

/** Checks the line height. Layout expects an ascent and a descent that are positive distances from the baseline. */
function checkLineMetrics(font: Font, unitsPerEm: number): void {
  const { ascender, descender } = font.hExtents()
  const height = (ascender - descender) / unitsPerEm
  if (!(ascender >= 0 && descender <= 0 && height > 0 && height <= 10)) {
    throw unreadable('The line height of the font is damaged.')
  }
}

/**
 * Checks that the outline of each glyph can be read. HarfBuzz gives up an outline with too many points or steps, but
 * drawing follows it to its end. With nested subroutines, an outline of a few bytes can take seconds to draw.
 */
function checkOutlines(font: Font, numGlyphs: number): void {
  for (let glyph = 0; glyph < numGlyphs; glyph++) {
    if (font.glyphExtents(glyph) === undefined) {
      throw tooComplex(`The outline of glyph ${glyph} is damaged or has too many points or steps.`)
    }
  }
}

function hasGlyph(font: Font, codePoint: number): boolean {
  return (font.nominalGlyph(codePoint) ?? 0) !== 0
}

function hasOutline(font: Font, codePoint: number): boolean {
  const glyph = font.nominalGlyph(codePoint)
  const extents = glyph === undefined ? undefined : font.glyphExtents(glyph)
  return extents !== undefined && (extents.width !== 0 || extents.height !== 0)
}

function runsOf(codePoints: readonly number[]): string[] {
  const count = Math.ceil(codePoints.length / CHARACTERS_PER_RUN)
  return Array.from({ length: count }, (_, i) =>
    String.fromCodePoint(...codePoints.slice(i * CHARACTERS_PER_RUN, (i + 1) * CHARACTERS_PER_RUN)),
  )
}

const TRIED_SIZE = 20

function tryDrawing(sfnt: Uint8Array, runs: readonly string[]): void {
  const alias = `platen-trial-${hash('sha256', sfnt).slice(0, 20)}`
  const key = GlobalFonts.register(Buffer.from(sfnt), alias)
  if (key === null) throw unreadable('The service cannot draw text with the font.')
  try {
    const pdf = new PDFDocument({ compressionLevel: 0 })
    const context = pdf.beginPage(600, (runs.length + 1) * TRIED_SIZE)
    context.font = `${TRIED_SIZE}px "${alias}"`
    for (const [line, run] of runs.entries()) context.fillText(run, 0, (line + 1) * TRIED_SIZE)
    pdf.endPage()
    pdf.close()
  } finally {
    GlobalFonts.remove(key)
  }
}
