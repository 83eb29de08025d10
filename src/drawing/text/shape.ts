import * as hb from 'harfbuzzjs'
import type { ShapedRun, ShapeRequest } from './font-book.ts'
import { hasScript, isSetSolid } from './unicode/scripts.ts'

/** A font file as HarfBuzz has opened it. */
export interface ShapingFont {
  font: hb.Font
  unitsPerEm: number
  /** In em, both positive. */
  ascent: number
  descent: number
  has(codePoint: number): boolean
}

export function openFont(bytes: Uint8Array): ShapingFont {
  const face = new hb.Face(new hb.Blob(bytes))
  const font = new hb.Font(face)
  const { ascender, descender } = font.hExtents()
  return {
    font,
    unitsPerEm: face.upem,
    ascent: ascender / face.upem,
    descent: -descender / face.upem,
    has: (codePoint) => (font.nominalGlyph(codePoint) ?? 0) !== 0,
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

/** Shapes one run of text: one font, direction and script. */
export function shapeRun(
  { font, unitsPerEm }: ShapingFont,
  { text, direction, spaced }: Omit<ShapeRequest, 'face'>,
): ShapedRun {
  buffer.reset()
  buffer.addText(text)
  buffer.setDirection(direction === 'rtl' ? hb.Direction.RTL : hb.Direction.LTR)
  buffer.setLanguage(SHAPING_LANGUAGE)
  const script = scriptFor(text)
  if (script !== undefined) buffer.setScript(script)
  buffer.guessSegmentProperties()
  hb.shape(font, buffer, featuresOf(spaced, isSetSolid(text)))
  return readRun(text, unitsPerEm, spaced)
}

function featuresOf(spaced: boolean, solid: boolean): hb.Feature[] {
  if (spaced) return solid ? SPACED_SOLID_FEATURES : SPACED_FEATURES
  return solid ? SOLID_FEATURES : []
}

const NO_LETTERS = new Set<number>()

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
