import { graphemesOf } from '../unicode/graphemes.ts'
import { LINE_ENDS } from '../unicode/line-breaks.ts'
import { composed, dottedCircles, retainedBefore } from '../unicode/prepare-text.ts'

/** Where a position of a text lies in its prepared paragraphs. */
export interface TracedOffset {
  /** UTF-16 offset in the text as the customer wrote it, between two graphemes. */
  index: number
  paragraph: number
  /** UTF-16 offset in the prepared paragraph. */
  offset: number
}

/**
 * Finds each position between two graphemes of a text, its start and its end included, in the prepared paragraphs.
 * Preparation composes characters, and removes and inserts some, so several positions may have the same offset.
 */
export function traceOffsets(text: string): TracedOffset[] {
  const circles = dottedCircles(composed(text))
  const paragraphs = rawParagraphs(text)
  let at = 0
  return composedBoundaries(text).map(([index, composedOffset]) => {
    const inserted = circles.filter((circle) => circle < composedOffset).length
    const position = composedOffset + inserted
    while (at + 1 < paragraphs.length && position >= (paragraphs[at + 1]?.start ?? 0)) at++
    const { start = 0, length = 0, retained } = paragraphs[at] ?? {}
    const offset = Math.min(position - start, length)
    return { index, paragraph: at, offset: retained === undefined ? offset : (retained[offset] ?? 0) }
  })
}

/** Returns the offsets between graphemes, each in the text and in the composed text. */
function composedBoundaries(text: string): [index: number, offset: number][] {
  const boundaries: [number, number][] = [[0, 0]]
  let offset = 0
  for (const { index, segment } of segments(text)) {
    offset += composed(segment).length
    boundaries.push([index + segment.length, offset])
  }
  if (offset === composed(text).length) return boundaries
  // Characters of two graphemes are composed to one, which is rare.
  return boundaries.map(([index]) => [index, composed(text.slice(0, index)).length])
}

/** Yields the graphemes of a text. A line end of two characters is one grapheme. */
function* segments(text: string): Iterable<{ index: number; segment: string }> {
  let start = 0
  for (const { index, 0: end } of text.matchAll(new RegExp(LINE_ENDS, 'g'))) {
    for (const { index: at, segment } of graphemesOf(text.slice(start, index))) yield { index: start + at, segment }
    yield { index, segment: end }
    start = index + end.length
  }
  for (const { index: at, segment } of graphemesOf(text.slice(start))) yield { index: start + at, segment }
}

interface RawParagraph {
  /** The offset in the cleaned text at which the paragraph begins. */
  start: number
  length: number
  retained: Uint32Array | undefined
}

function rawParagraphs(text: string): RawParagraph[] {
  const cleaned = withCircles(composed(text))
  const paragraphs: RawParagraph[] = []
  let start = 0
  const add = (end: number, next: number) => {
    const paragraph = cleaned.slice(start, end)
    paragraphs.push({ start, length: paragraph.length, retained: retainedBefore(paragraph) })
    start = next
  }
  for (const { index, 0: end } of cleaned.matchAll(new RegExp(LINE_ENDS, 'g'))) add(index, index + end.length)
  add(cleaned.length, cleaned.length)
  return paragraphs
}

function withCircles(text: string): string {
  let result = ''
  let from = 0
  for (const at of dottedCircles(text)) {
    result += `${text.slice(from, at)}\u25cc`
    from = at
  }
  return result + text.slice(from)
}
