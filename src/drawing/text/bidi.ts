import bidiFactory from 'bidi-js'

// The package's types describe its ES module, but Node loads its CommonJS build, whose export is the function itself.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

// Code points that can make a text other than plainly left to right: strong right-to-left blocks and bidi controls.
const MAY_TURN =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Embedding levels of a paragraph by UAX #9, one per UTF-16 unit: even is left to right. The base direction follows
 * from the first strong character. Overrides become embeddings, as drawing runs in the other direction than their
 * characters have would not shape them the same way.
 */
export function bidiLevels(paragraph: string): { levels: Uint8Array; base: number } {
  if (!MAY_TURN.test(paragraph)) return { levels: new Uint8Array(paragraph.length), base: 0 }
  const { levels, paragraphs } = bidi.getEmbeddingLevels(paragraph)
  return { levels, base: paragraphs[0]?.level ?? 0 }
}

/** Replaces direction overrides (LRO, RLO) by embeddings (LRE, RLE), which keep each character's own direction. */
export function withoutOverrides(text: string): string {
  return text.replaceAll('\u202d', '\u202a').replaceAll('\u202e', '\u202b')
}

/** Puts a line's runs from logical into visual order: rule L2 of UAX #9. */
export function visualOrder<Run extends { level: number }>(runs: readonly Run[]): Run[] {
  const ordered = [...runs]
  const highest = Math.max(0, ...runs.map(({ level }) => level))
  for (let level = highest; level >= 1; level--) {
    let start = 0
    while (start < ordered.length) {
      let end = start
      while ((ordered[end]?.level ?? -1) >= level) end++
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse())
      start = Math.max(end, start) + 1
    }
  }
  return ordered
}
