import { bidiLevels, withoutOverrides } from './bidi.ts'
import { breakOpportunities, paragraphsOf } from './line-breaks.ts'

/** A paragraph with its Unicode properties. Control characters that are never drawn are removed from its text. */
export interface PreparedParagraph {
  text: string
  /** The embedding level of each UTF-16 unit; undefined if all are 0. */
  levels: Uint8Array | undefined
  /** The base direction: 0 for left to right, 1 for right to left. */
  base: number
  /** Offsets at which a line may end, ascending, including the end of the text. */
  breaks: readonly number[]
  /** The offsets in `breaks` that follow a soft hyphen. A line that ends there shows a hyphen. */
  softHyphens: ReadonlySet<number>
}

/**
 * Splits a text into paragraphs and finds their directions and line break offsets. Characters are composed (NFC), and
 * controls are removed.
 */
export function prepareText(text: string): PreparedParagraph[] {
  return paragraphsOf(cleaned(text)).map(prepareParagraph)
}

const PRINTABLE_ASCII = /^[\n -~]*$/
// Characters below U+0300 need no composition, and none of them is a bidi control, so such a text needs no cleaning.
const PLAIN = /^[\n -~\u00a0-\u02ff]*$/
const CONTROLS = /(?![\n\v\f\r\u0085])\p{Cc}/gu
const TAB = '    '

/**
 * Matches the positions at which a dotted circle is inserted. They lie in sequences that Unicode advises against (table
 * 12-1): a Devanagari vowel that is written as another vowel and a sign. Some shapers show the sign on a dotted circle
 * and some do not. If the text contains the circle, all shapers show it.
 */
const MISSPELT_VOWEL =
  /(?<=\u0905)(?=[\u093a\u093b\u093e\u0945\u0946\u0949-\u094c\u094f\u0956\u0957])|(?<=\u0906)(?=[\u093a\u0945-\u0948])|(?<=\u0909)(?=\u0941)|(?<=\u090f)(?=[\u0945-\u0947])|(?<=\u0930\u094d)(?=\u0907)/gu
const DOTTED_CIRCLE = '\u25cc'

function cleaned(text: string): string {
  return PLAIN.test(text) ? text : composed(text).replaceAll(MISSPELT_VOWEL, DOTTED_CIRCLE)
}

/** Composes the characters of a text and removes controls. The result has the graphemes of the text in the same order. */
export function composed(text: string): string {
  // Fonts contain glyphs for composed characters. Controls other than line ends have no meaning in a text layer.
  return withoutOverrides(text.normalize('NFC').replaceAll('\t', TAB).replaceAll(CONTROLS, ''))
}

/** Returns the offsets of a composed text at which a dotted circle is inserted. */
export function dottedCircles(text: string): number[] {
  return Array.from(text.matchAll(MISSPELT_VOWEL), ({ index }) => index)
}

/**
 * Returns for each offset of a paragraph, including its end, the number of UTF-16 units before it that are retained.
 * Returns undefined if all are.
 */
export function retainedBefore(paragraph: string): Uint32Array | undefined {
  return MEANT_NOT_DRAWN.test(paragraph) ? keptUnits(paragraph).before : undefined
}

/**
 * Matches characters that take effect before shaping and are not drawn: soft hyphens, bidi controls, word joiners,
 * selectors of emoji or text form, tags and similar characters. If they stayed in the text, they would separate letters
 * that belong together. Joiners of letters, other variation selectors and zero-width spaces stay in the text, because
 * they influence shaping or line ends.
 */
const MEANT_NOT_DRAWN =
  /[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\u034f|\ufe0e|\ufe0f|[\u{e0000}-\u{e007f}]/u

const NO_OFFSETS: ReadonlySet<number> = new Set()

function prepareParagraph(paragraph: string): PreparedParagraph {
  const { levels, base } = bidiLevels(paragraph)
  const breaks = breakOpportunities(paragraph)
  if (PRINTABLE_ASCII.test(paragraph)) return { text: paragraph, levels, base, breaks, softHyphens: NO_OFFSETS }
  if (!MEANT_NOT_DRAWN.test(paragraph)) {
    return { text: withMarksOnBlanks(paragraph), levels, base, breaks, softHyphens: NO_OFFSETS }
  }
  const kept = keptUnits(paragraph)
  return {
    text: withMarksOnBlanks(kept.offsets.map((offset) => paragraph.charAt(offset)).join('')),
    levels: levels === undefined ? undefined : Uint8Array.from(kept.offsets, (offset) => levels[offset] ?? 0),
    base,
    ...keptBreaks(paragraph, breaks, kept),
  }
}

/**
 * Replaces the space before a mark by a no-break space (Unicode, section 7.9). Canvases would separate the mark from
 * any other blank.
 */
function withMarksOnBlanks(paragraph: string): string {
  return paragraph.replaceAll(/ (?=[\p{M}]|\u200c|\u200d)/gu, '\u00a0')
}

interface KeptUnits {
  offsets: number[]
  /** For each offset of the paragraph, including its end, the number of retained units before the offset. */
  before: Uint32Array
}

function keptUnits(paragraph: string): KeptUnits {
  const offsets: number[] = []
  const before = new Uint32Array(paragraph.length + 1)
  let offset = 0
  for (const character of paragraph) {
    const stays = !MEANT_NOT_DRAWN.test(character)
    for (let unit = 0; unit < character.length; unit++, offset++) {
      before[offset] = offsets.length
      if (stays) offsets.push(offset)
    }
  }
  before[offset] = offsets.length
  return { offsets, before }
}

function keptBreaks(paragraph: string, breaks: readonly number[], { offsets, before }: KeptUnits) {
  const moved: number[] = []
  const softHyphens = new Set<number>()
  for (const position of breaks) {
    const at = before[position] ?? 0
    if (at === 0 || at === moved.at(-1)) continue
    moved.push(at)
    if (paragraph.charAt(position - 1) === '\u00ad' && at < offsets.length) softHyphens.add(at)
  }
  return { breaks: moved, softHyphens }
}
