const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Matches a character that can be part of a cluster of several characters by UAX #29: marks, joiners, flags, emoji
 * modifiers, Hangul jamo and syllables, signs that precede digits or letters, halfwidth voicing marks, and the astral
 * planes.
 */
const MAY_COMBINE =
  /[\p{M}\p{RI}\p{EMod}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff\uff9e\uff9f\u{10000}-\u{10ffff}]|\u200c|\u200d/u

/**
 * Tells whether each UTF-16 unit of a text is a grapheme by itself. The caller must have removed line ends, because CR
 * LF is one grapheme.
 */
export function isOneUnitEach(text: string): boolean {
  return !MAY_COMBINE.test(text)
}

/**
 * Splits a text into graphemes, which readers perceive as one character each (UAX #29). Yields the offset and text of
 * each grapheme.
 */
export function* graphemesOf(text: string): Iterable<{ index: number; segment: string }> {
  if (isOneUnitEach(text)) {
    for (let index = 0; index < text.length; index++) yield { index, segment: text.charAt(index) }
    return
  }
  yield* segmenter.segment(text)
}
