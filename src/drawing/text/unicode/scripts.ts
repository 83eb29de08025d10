/** The scripts by which text is split into units, the most frequent first. All other scripts count as one. */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Thai',
  'Bengali',
  'Tamil',
  'Telugu',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Georgian',
  'Armenian',
  'Ethiopic',
  'Khmer',
  'Lao',
  'Myanmar',
  'Tibetan',
  'Bopomofo',
  'Mongolian',
].map((name) => new RegExp(`\\p{Script=${name}}`, 'u'))

/** The number for characters without a script of their own, which take the script of the text around them. */
export const COMMON = 0
const OTHER = SCRIPTS.length + 1

const ANY_SCRIPT = /[^\p{Script=Common}\p{Script=Inherited}]/u

/** Tells whether any character of a text has a script of its own. */
export function hasScript(text: string): boolean {
  return ANY_SCRIPT.test(text)
}

const SOLID =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\u30a0\u30fb\u30fc\uff00-\uffef]/u

/**
 * Tells whether a text begins with a character that is set solid, which means in a square of the same width as its
 * neighbours (JLREQ, section 2.1.2): Han, kana and their punctuation. These characters are not kerned, and
 * justification may add space between them.
 */
export function isSetSolid(text: string): boolean {
  return text.charCodeAt(0) > 0x2e7f && SOLID.test(text)
}

const SOLID_PUNCTUATION =
  /^[\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30a0\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/

const BLANK = /^[ \u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]$/

/** The properties of a character by which text is split into units. */
export interface CharacterKind {
  /** The number of the script (UAX #24): `COMMON`, or a positive number. */
  script: number
  isBlank: boolean
  isSolid: boolean
  /**
   * Whether the character is a bracket, comma or full stop that fills a square. Between two of them, canvases may
   * remove half of the empty space.
   */
  isSolidPunctuation: boolean
}

const kinds = new Map<number, CharacterKind>()
// How many characters the map remembers: as many different ones as a long text has. The limit bounds the memory,
// because clients can send any number of different characters.
const KNOWN_LIMIT = 10_000

export function kindOf(codePoint: number): CharacterKind {
  const known = kinds.get(codePoint)
  if (known !== undefined) return known
  const character = String.fromCodePoint(codePoint)
  const kind = {
    script: scriptOf(character),
    isBlank: BLANK.test(character),
    isSolid: isSetSolid(character),
    isSolidPunctuation: SOLID_PUNCTUATION.test(character),
  }
  if (kinds.size >= KNOWN_LIMIT) kinds.clear()
  kinds.set(codePoint, kind)
  return kind
}

function scriptOf(character: string): number {
  if (!ANY_SCRIPT.test(character)) return COMMON
  const index = SCRIPTS.findIndex((script) => script.test(character))
  return index === -1 ? OTHER : index + 1
}

// Matches the scripts whose letters join. Space between the letters would break words (CSS Text 4, section 8.2.1,
// "Cursive scripts").
const JOINING =
  /[\p{Script_Extensions=Arabic}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}\p{Script=Syriac}]/u

export function isJoining(text: string): boolean {
  return JOINING.test(text)
}
