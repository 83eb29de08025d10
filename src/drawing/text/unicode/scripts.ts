/** Scripts told apart, the most frequent first. Characters of all others count as one more. */
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

/** No script of its own: it takes the one of the text around it. */
export const COMMON = 0
const OTHER = SCRIPTS.length + 1

const ANY_SCRIPT = /[^\p{Script=Common}\p{Script=Inherited}]/u

/** Whether any character of a text has a script of its own. */
export function hasScript(text: string): boolean {
  return ANY_SCRIPT.test(text)
}

const SOLID =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\u30a0\u30fb\u30fc\uff00-\uffef]/u

/**
 * Whether a text begins with a character that is set solid, each in a square of its own as wide as the next (JLREQ,
 * section 2.1.2): Han, kana, and their punctuation. They are not kerned, and may be spread out when text is justified.
 */
export function isSetSolid(text: string): boolean {
  return text.charCodeAt(0) > 0x2e7f && SOLID.test(text)
}

const SOLID_PUNCTUATION =
  /^[\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30a0\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/

const BLANK = /^[ \u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]$/

/** What decides where text is taken apart. */
export interface CharacterKind {
  /** A number for the script (UAX #24): `COMMON`, or more. */
  script: number
  isBlank: boolean
  isSolid: boolean
  /** A bracket, comma or stop in a square: canvases may take the blank half away between two of them. */
  isSolidPunctuation: boolean
}

const kinds = new Map<number, CharacterKind>()
// As many as a long text has; a client could name any number of them.
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

// Scripts whose letters join: space between them would tear words (CSS Text 4, section 8.2.1, "Cursive scripts").
const JOINING =
  /[\p{Script_Extensions=Arabic}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}\p{Script=Syriac}]/u

export function isJoining(text: string): boolean {
  return JOINING.test(text)
}
