import { Rules } from '@cto.af/linebreak'

const rules = new Rules()
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Offsets at which a line may end, ascending, the text's end included: UAX #14, whatever the script. */
export function breakOpportunities(paragraph: string): number[] {
  return Array.from(rules.breaks(paragraph), ({ position }) => position)
}

const MAY_COMBINE = /[\u{300}-\u{10ffff}]/u

/** What a reader takes for one character: its offset and text, by UAX #29. */
export function* graphemesOf(text: string): Iterable<{ index: number; segment: string }> {
  // Below U+0300 nothing combines (line ends are taken out before), and most texts stay below.
  if (!MAY_COMBINE.test(text)) {
    for (let index = 0; index < text.length; index++) yield { index, segment: text.charAt(index) }
    return
  }
  yield* graphemes.segment(text)
}

// The mandatory breaks of UAX #14.
const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

/** The paragraphs of a text: what lies between explicit line ends. An empty text is one empty paragraph. */
export function paragraphsOf(text: string): string[] {
  return text.split(LINE_ENDS)
}
