import bidiFactory, { type Bidi } from 'bidi-js'

// Node.js loads the CommonJS build of the package, whose export is the function itself. Browsers and the type
// declarations use the ES module, so its type depends on how a program is compiled.
const bidi = (bidiFactory as unknown as () => Bidi)()

// Matches a code point that can make a text bidirectional: in a right-to-left block, or a bidi control.
const MAY_TURN =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Computes the embedding levels of a paragraph by UAX #9, one per UTF-16 unit; even levels are left to right. `levels`
 * is undefined for a text that is completely left to right. The first strong character determines the base direction.
 */
export function bidiLevels(paragraph: string): { levels: Uint8Array | undefined; base: number } {
  if (!MAY_TURN.test(paragraph)) return { levels: undefined, base: 0 }
  const { levels, paragraphs } = bidi.getEmbeddingLevels(paragraph.replaceAll(ASTRAL, substituteFor))
  return { levels, base: paragraphs[0]?.level ?? 0 }
}

const ASTRAL = /[\u{10000}-\u{10ffff}]/gu

/**
 * Returns two characters of the basic plane with the same bidi class as an astral character. The library examines
 * single UTF-16 units, so it does not recognize surrogate pairs.
 */
function substituteFor(character: string): string {
  if (/\p{Mn}/u.test(character)) return '\u0300\u0300'
  if (
    /[\u{10d00}-\u{10d3f}\u{10f30}-\u{10f6f}\u{1ec70}-\u{1ecbf}\u{1ed00}-\u{1ed4f}\u{1ee00}-\u{1eeff}]/u.test(character)
  ) {
    return '\u0628\u0628'
  }
  if (/[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(character)) return '\u05d0\u05d0'
  return /[\p{L}\p{N}\p{Mc}]/u.test(character) ? 'aa' : '!!'
}

/**
 * Replaces direction overrides (LRO, RLO) by embeddings (LRE, RLE), in which each character keeps its own direction. A
 * run that is drawn against the direction of its characters would be shaped differently in layout and drawing.
 */
export function withoutOverrides(text: string): string {
  return text.replaceAll('\u202d', '\u202a').replaceAll('\u202e', '\u202b')
}

/** Reorders the runs of a line from logical to visual order by rule L2 of UAX #9. */
export function visualOrder<Run extends { level: number }>(runs: readonly Run[]): readonly Run[] {
  let highest = 0
  for (const { level } of runs) if (level > highest) highest = level
  if (highest === 0) return runs
  const ordered = [...runs]
  for (let level = highest; level >= 1; level--) {
    let start = 0
    while (start < ordered.length) {
      let end = start
      while ((ordered[end]?.level ?? -1) >= level) end++
      if (end > start) reverse(ordered, start, end)
      start = Math.max(end, start) + 1
    }
  }
  return ordered
}

function reverse<Run>(runs: Run[], start: number, end: number): void {
  runs.splice(start, end - start, ...runs.slice(start, end).reverse())
}
