import { hasScript, isSetSolid } from '../unicode/scripts.ts'
import type { InkReach, ShapedRun, ShapeRequest } from './font-book.ts'
import { type Feature, type Font, hb } from './harfbuzz.ts'
import { shapingTables } from './shaping-tables.ts'

/** A font file that HarfBuzz has opened. */
export interface ShapingFont {
  font: Font
  unitsPerEm: number
  isKerned: boolean
  /** The heights above the baseline (ascent) and below it (descent) in em, both positive. */
  ascent: number
  descent: number
  has(codePoint: number): boolean
  /** Whether the font has produced more than `GLYPHS_PER_CHARACTER` glyphs per character for a text. */
  floods: boolean
}

const opened = new WeakMap<Uint8Array, ShapingFont>()

/** Opens a font file. The same byte array is opened only once, because HarfBuzz stores a copy of the bytes. */
export function openFont(bytes: Uint8Array): ShapingFont {
  const known = opened.get(bytes)
  if (known !== undefined) return known
  const font = parseFont(bytes)
  opened.set(bytes, font)
  return font
}

function parseFont(bytes: Uint8Array): ShapingFont {
  const face = new hb.Face(new hb.Blob(shapingTables(bytes)))
  const font = new hb.Font(face)
  const { ascender, descender } = font.hExtents()
  return {
    font,
    unitsPerEm: face.upem,
    isKerned: face.getTableFeatureTags('GPOS').includes('kern'),
    ascent: ascender / face.upem,
    descent: -descender / face.upem,
    has: (codePoint) => (font.nominalGlyph(codePoint) ?? 0) !== 0,
    floods: false,
  }
}

/** The language for shaping, which may select other glyph forms. Drawing sets the same language on the canvas. */
export const SHAPING_LANGUAGE = 'en'

/**
 * Returns the script that browsers and Skia assume for a text whose characters have no script of their own, such as
 * digits and signs: Arabic if its signs are Arabic, and Latin if Latin-1 can encode it. Returns undefined if HarfBuzz
 * assumes the same script by itself.
 */
export function scriptFor(text: string): string | undefined {
  if (hasScript(text)) return undefined
  if (!/[\u0100-\uffff]/.test(text)) return 'Latn'
  return /\p{Script_Extensions=Arabic}/u.test(text) ? 'Arab' : undefined
}

const off = (...tags: string[]) => tags.map((tag) => new hb.Feature(tag, 0))
const SPACED_FEATURES = off('liga', 'clig', 'calt')
const SOLID_FEATURES = off('kern')
const SPACED_SOLID_FEATURES = [...SPACED_FEATURES, ...SOLID_FEATURES]

const buffer = new hb.Buffer()

const NO_LETTERS = new Set<number>()

/**
 * The most glyphs that a font may produce for one character. Decomposed letters and reordered vowels need only a few.
 */
export const GLYPHS_PER_CHARACTER = 20

/**
 * Shapes one run of text with one font, direction and script. If a font produces too many glyphs for a text, it is not
 * used for shaping again, and each character counts as a square. Otherwise an uploaded font could occupy the process
 * for long.
 */
export function shapeRun(font: ShapingFont, run: Omit<ShapeRequest, 'face'>): ShapedRun {
  if (font.floods) return squares(run.text)
  shapeInBuffer(font, run)
  if (buffer.getLength() > run.text.length * GLYPHS_PER_CHARACTER) {
    font.floods = true
    return squares(run.text)
  }
  return readRun(run.text, font.unitsPerEm, run.spaced)
}

function squares(text: string): ShapedRun {
  const glyphClusters = Array.from({ length: text.length }, (_, offset) => offset)
  return { width: text.length, advances: glyphClusters.map(() => 1), letters: NO_LETTERS, glyphClusters }
}

function shapeInBuffer({ font }: ShapingFont, { text, direction, spaced }: Omit<ShapeRequest, 'face'>): void {
  buffer.reset()
  buffer.addText(text)
  buffer.setDirection(direction === 'rtl' ? hb.Direction.RTL : hb.Direction.LTR)
  buffer.setLanguage(SHAPING_LANGUAGE)
  const script = scriptFor(text)
  if (script !== undefined) buffer.setScript(script)
  buffer.guessSegmentProperties()
  hb.shape(font, buffer, featuresOf(spaced, isSetSolid(text)))
}

// The tolerance of `setsMarks`, in em. A mark that begins less than this before the end of its letter still counts as
// beside the letter.
const BESIDE_EM = 0.05

/**
 * Tells whether a font places the marks of a letter on the letter. A font without anchors places marks after the
 * letter, like further letters. Suitable only for left-to-right scripts.
 */
export function setsMarks(face: ShapingFont, grapheme: string): boolean {
  shapeInBuffer(face, { text: grapheme, direction: 'ltr', spaced: false })
  const positions = buffer.getGlyphPositions()
  const [, ...marks] = buffer.getGlyphInfos()
  let x = positions[0]?.xAdvance ?? 0
  const end = x - BESIDE_EM * face.unitsPerEm
  for (const [i, { codepoint }] of marks.entries()) {
    const { xAdvance = 0, xOffset = 0 } = positions[i + 1] ?? {}
    const ink = face.font.glyphExtents(codepoint)
    if (ink !== undefined && ink.width > 0 && x + xOffset + ink.xBearing >= end) return false
    x += xAdvance
  }
  return true
}

/** Measures how far the glyphs of a run extend above and below the baseline, in em. */
export function inkOf(face: ShapingFont, run: Omit<ShapeRequest, 'face'>): InkReach {
  if (!face.floods) shapeInBuffer(face, run)
  if (face.floods || buffer.getLength() > run.text.length * GLYPHS_PER_CHARACTER) {
    return { above: face.ascent, below: face.descent }
  }
  const positions = buffer.getGlyphPositions()
  let above = Number.NEGATIVE_INFINITY
  let below = Number.NEGATIVE_INFINITY
  for (const [i, { codepoint }] of buffer.getGlyphInfos().entries()) {
    const ink = face.font.glyphExtents(codepoint)
    if (ink === undefined || ink.height === 0) continue
    // The y axis of HarfBuzz points up and extents start at the top, so heights are negative.
    const top = (positions[i]?.yOffset ?? 0) + ink.yBearing
    above = Math.max(above, top)
    below = Math.max(below, -(top + ink.height))
  }
  return { above: above / face.unitsPerEm, below: below / face.unitsPerEm }
}

function featuresOf(spaced: boolean, solid: boolean): Feature[] {
  if (spaced) return solid ? SPACED_SOLID_FEATURES : SPACED_FEATURES
  return solid ? SOLID_FEATURES : []
}

/** Tells whether a character is a zero-width space or joiner, which gets no letter spacing. */
const isJoiner = (code: number) => code >= 0x200b && code <= 0x200d

function readRun(text: string, unitsPerEm: number, spaced: boolean): ShapedRun {
  const advances = new Array<number>(text.length).fill(0)
  const letters = spaced ? new Set<number>() : NO_LETTERS
  const glyphClusters: number[] = []
  let width = 0
  const positions = buffer.getGlyphPositions()
  const infos = buffer.getGlyphInfos()
  for (let i = 0; i < infos.length; i++) {
    const cluster = infos[i]?.cluster ?? 0
    const advance = (positions[i]?.xAdvance ?? 0) / unitsPerEm
    glyphClusters.push(cluster)
    advances[cluster] = (advances[cluster] ?? 0) + advance
    width += advance
    if (spaced && !isJoiner(text.charCodeAt(cluster))) letters.add(cluster)
  }
  return { width, advances, letters, glyphClusters }
}
