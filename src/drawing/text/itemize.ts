import { bidiLevels } from './bidi.ts'
import { graphemesOf } from './break-lines.ts'
import type { FontBook, FontFace, TextDirection } from './font-book.ts'

/** A stretch of a paragraph with one direction and one font file. `face` is undefined where no font has the glyphs. */
export interface TextItem {
  start: number
  end: number
  level: number
  face: FontFace | undefined
  /** Whether letter spacing applies. */
  spaced: boolean
}

export interface ShapedParagraph {
  text: string
  /** 0 for left to right, 1 for right to left. */
  base: number
  items: TextItem[]
  /** In em, letter spacing included, at the offset where a cluster starts; 0 inside clusters. */
  advances: Float64Array
}

/** How wide a box stands in for a missing character, in em. */
export const MISSING_WIDTH_EM = 0.6

// Scripts whose letters join: space between them would tear words (CSS Text 4, section 8.2.1, "Cursive scripts").
const JOINING =
  /[\p{Script=Arabic}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}\p{Script=Syriac}]/u

// They need no glyph: shaping makes them invisible where the font has none.
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cc}]$/u

/** Splits a paragraph into items and shapes them. `letterSpacing` is in em. */
export function shapeParagraph(
  text: string,
  faces: readonly FontFace[],
  fonts: FontBook,
  letterSpacing: number,
): ShapedParagraph {
  const { levels, base } = bidiLevels(text)
  const items = itemize(text, levels, faces, letterSpacing)
  const advances = new Float64Array(text.length)
  for (const item of items) advances.set(clusterAdvances(text, item, fonts, letterSpacing), item.start)
  return { text, base, items, advances }
}

/** Cluster advances of a part of an item, in em, letter spacing included; missing characters have the box's width. */
export function clusterAdvances(text: string, item: TextItem, fonts: FontBook, letterSpacing: number): Float64Array {
  const { start, end, level, face, spaced } = item
  const part = text.slice(start, end)
  if (face === undefined) return missingAdvances(part)
  const { advances, clusters } = fonts.shape({ face, text: part, direction: directionOf(level), spaced })
  if (!spaced) return advances
  const spacedOut = Float64Array.from(advances)
  for (const offset of clusters) spacedOut[offset] = (spacedOut[offset] ?? 0) + letterSpacing
  return spacedOut
}

function missingAdvances(text: string): Float64Array {
  const advances = new Float64Array(text.length)
  for (const { index } of graphemesOf(text)) advances[index] = MISSING_WIDTH_EM
  return advances
}

export function directionOf(level: number): TextDirection {
  return level % 2 === 1 ? 'rtl' : 'ltr'
}

function itemize(text: string, levels: Uint8Array, faces: readonly FontFace[], letterSpacing: number): TextItem[] {
  const items: TextItem[] = []
  let last: TextItem | undefined
  for (const { index, segment } of graphemesOf(text)) {
    const level = levels[index] ?? 0
    const face = faceFor(segment, faces, last?.face)
    if (last !== undefined && last.level === level && last.face === face) {
      last.end = index + segment.length
      continue
    }
    last = { start: index, end: index + segment.length, level, face, spaced: false }
    items.push(last)
  }
  if (letterSpacing !== 0) {
    for (const item of items) item.spaced = item.face !== undefined && !JOINING.test(text.slice(item.start, item.end))
  }
  return items
}

// A blank takes the font of the text before it, so that a sentence in a second script stays in one run.
function faceFor(grapheme: string, faces: readonly FontFace[], previous: FontFace | undefined): FontFace | undefined {
  if (grapheme === ' ' && previous?.covers(0x20)) return previous
  const first = grapheme.codePointAt(0) ?? 0
  if (grapheme.length === (first > 0xffff ? 2 : 1)) {
    return INVISIBLE.test(grapheme) ? (previous ?? faces[0]) : coveringFace(first, faces)
  }
  const needed = [...grapheme].filter((character) => !INVISIBLE.test(character)).map((c) => c.codePointAt(0) ?? 0)
  if (needed.length === 0) return previous ?? faces[0]
  return faces.find((face) => needed.every((codePoint) => face.covers(codePoint)))
}

const covering = new WeakMap<readonly FontFace[], Map<number, FontFace | undefined>>()

// There are at most some thousand characters that fonts have; those they lack are not remembered.
function coveringFace(codePoint: number, faces: readonly FontFace[]): FontFace | undefined {
  const known = covering.get(faces) ?? new Map<number, FontFace | undefined>()
  covering.set(faces, known)
  const face = known.get(codePoint) ?? faces.find((candidate) => candidate.covers(codePoint))
  if (face !== undefined) known.set(codePoint, face)
  return face
}
