import { hasScript, isSetSolid } from '../unicode/scripts.ts'
import type { InkReach, ShapedRun, ShapeRequest } from './font-book.ts'
import { type Feature, type Font, hb } from './harfbuzz.ts'
import { shapingTables } from './shaping-tables.ts'

/** A font file as HarfBuzz has opened it. */
export interface ShapingFont {
  font: Font
  unitsPerEm: number
  isKerned: boolean
  /** In em, both positive. */
  ascent: number
  descent: number
  has(codePoint: number): boolean
  /** Whether it has once turned a text into a flood of glyphs. */
  floods: boolean
}

const opened = new WeakMap<Uint8Array, ShapingFont>()

/** Opens a font file. The same bytes are opened once, as HarfBuzz keeps a copy of them. */
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

/** The language that drawing sets too: it may select other glyph forms. */
export const SHAPING_LANGUAGE = 'en'

/**
 * What browsers, and Skia as they do, take for a text that has no script of its own: that of its signs, Latin for one
 * that Latin-1 can write, none for others. Undefined where HarfBuzz finds the same.
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

// Decomposed letters and reordered vowels make a handful of glyphs.
const GLYPHS_PER_CHARACTER = 20

/**
 * Shapes one run of text: one font, direction and script. After a font has turned a text into a flood of glyphs, it
 * is not used again, and each of its characters becomes a square. Otherwise an uploaded font could keep the process busy.
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

// How far a mark may begin before the end of its letter and still stand beside it, in em.
const BESIDE_EM = 0.05

/**
 * Whether a font sets the marks of a letter of a left-to-right script on it. One that lacks the anchors has them follow
 * the letter like a letter.
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

/** How far above and below the baseline the glyphs of a run reach. */
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
    // Extents go upwards, so that heights are negative.
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

/** Joiners are no letters. */
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
