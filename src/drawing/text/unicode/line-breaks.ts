import { type BreakRule, LB15a, LineBreakClasses, NO_BREAK, PASS, Rules, sot } from '@cto.af/linebreak'

const { BK, CR, GL, LF, NL, OP, QU, SP, ZW } = LineBreakClasses
const BEFORE_OPENING_QUOTE: ReadonlySet<number | undefined> = new Set([sot, BK, CR, LF, NL, OP, QU, GL, SP, ZW])

/**
 * Implements rule LB15a. The version in the package also forbids a break after the character that follows the quotation
 * mark, so it would not allow a break after “I in “I am”.
 */
const breakRule15a: BreakRule = (state) => {
  const { prev, cur, next } = state
  if (cur.cls !== QU || !BEFORE_OPENING_QUOTE.has(prev.cls) || !/^\p{Pi}$/u.test(cur.char)) return PASS
  if (next.cls === SP) state.spaces = true
  return NO_BREAK
}

const rules = new Rules()
// The package can replace a rule by the name of its function, but the build for browsers shortens names.
rules.rules = rules.rules.map((rule) => (rule === LB15a ? breakRule15a : rule))

// Letters of the classes AL, HL and NU, and marks of the class CM. UAX #14 allows no break between them.
const LETTER =
  'A-Za-z0-9\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02af\\u0391-\\u03a1\\u03a3-\\u03ce\\u0400-\\u0481\\u048a-\\u052f' +
  '\\u05d0-\\u05ea\\u0620-\\u064a\\u0671-\\u06d3\\u0904-\\u0939'
const MARK =
  '\\u0300-\\u034e\\u05b0-\\u05bd\\u05bf\\u05c1\\u05c2\\u064b-\\u065f\\u0670\\u0900-\\u0903\\u093a-\\u093c\\u093e-\\u094f'

/**
 * Matches a word end, its blanks and the letter after them. A line may end after the blanks, whatever the text around
 * them is.
 */
const BETWEEN_WORDS = new RegExp(`[${LETTER}][${MARK}]*[,.;:]? +(?=[${LETTER}])`, 'g')
/** Matches a word with its blanks, optionally with a comma or similar sign. A line may end only after the blanks. */
const PLAIN_WORD = new RegExp(`^[${LETTER}](?:['\\u2019]?[${LETTER}${MARK}])*[,.;:]? *$`)

/**
 * Returns the offsets at which a line may end by UAX #14, ascending, including the end of the text. Works for all
 * scripts. Most texts consist of words and blanks, which the two expressions split. The slower rules are applied only
 * to other parts of the text.
 */
export function breakOpportunities(paragraph: string): number[] {
  const breaks: number[] = []
  let start = 0
  BETWEEN_WORDS.lastIndex = 0
  while (BETWEEN_WORDS.test(paragraph)) {
    addBreaks(breaks, paragraph.slice(start, BETWEEN_WORDS.lastIndex), start)
    start = BETWEEN_WORDS.lastIndex
  }
  addBreaks(breaks, paragraph.slice(start), start)
  return breaks
}

function addBreaks(breaks: number[], part: string, offset: number): void {
  if (PLAIN_WORD.test(part)) {
    breaks.push(offset + part.length)
    return
  }
  for (const position of breaksByRule(part)) breaks.push(offset + position)
}

/** Returns the same offsets as `breakOpportunities`, but applies all rules of UAX #14 to each character. */
export function breaksByRule(paragraph: string): number[] {
  return Array.from(rules.breaks(paragraph), ({ position }) => position)
}

// The mandatory breaks of UAX #14 are the line ends of a text.
export const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

/** Splits a text into paragraphs at its explicit line ends. An empty text is one empty paragraph. */
export function paragraphsOf(text: string): string[] {
  return text.split(LINE_ENDS)
}
