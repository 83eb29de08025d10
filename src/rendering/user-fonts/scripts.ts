/**
 * The scripts that the service recognizes. Each row has the ISO 15924 code, the characters that count, and how many of
 * them a font must have.
 */
const SCRIPTS: readonly [code: string, characters: RegExp, atLeast: number][] = [
  ['Latn', /\p{Script=Latin}/u, 26],
  ['Grek', /\p{Script=Greek}/u, 48],
  ['Cyrl', /\p{Script=Cyrillic}/u, 60],
  ['Arab', /\p{Script=Arabic}/u, 28],
  ['Hebr', /\p{Script=Hebrew}/u, 27],
  ['Deva', /\p{Script=Devanagari}/u, 60],
  ['Jpan', /[\p{Script=Hiragana}\p{Script=Katakana}]/u, 160],
  ['Kore', /\p{Script=Hangul}/u, 2000],
  ['Hani', /\p{Script=Han}/u, 2000],
  ['Armn', /\p{Script=Armenian}/u, 72],
  ['Beng', /\p{Script=Bengali}/u, 50],
  ['Ethi', /\p{Script=Ethiopic}/u, 200],
  ['Geor', /\p{Script=Georgian}/u, 33],
  ['Gujr', /\p{Script=Gujarati}/u, 50],
  ['Guru', /\p{Script=Gurmukhi}/u, 50],
  ['Khmr', /\p{Script=Khmer}/u, 60],
  ['Knda', /\p{Script=Kannada}/u, 50],
  ['Laoo', /\p{Script=Lao}/u, 40],
  ['Mlym', /\p{Script=Malayalam}/u, 50],
  ['Mymr', /\p{Script=Myanmar}/u, 60],
  ['Sinh', /\p{Script=Sinhala}/u, 60],
  ['Taml', /\p{Script=Tamil}/u, 40],
  ['Telu', /\p{Script=Telugu}/u, 50],
  ['Thai', /\p{Script=Thai}/u, 60],
  ['Tibt', /\p{Script=Tibetan}/u, 80],
]

/**
 * Lists the scripts of which a font has the alphabet or a large part. A few letters, such as those of a font for
 * formulas, are not enough.
 */
export function scriptsOf(codePoints: Iterable<number>): string[] {
  const counts = new Map<string, number>()
  for (const codePoint of codePoints) {
    const script = scriptOf(codePoint)
    if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1)
  }
  return SCRIPTS.flatMap(([code, , atLeast]) => ((counts.get(code) ?? 0) >= atLeast ? [code] : []))
}

/** Returns the script of a letter. Returns undefined for signs, marks, and scripts that are not recognized. */
export function scriptOf(codePoint: number): string | undefined {
  const character = String.fromCodePoint(codePoint)
  return SCRIPTS.find(([, characters]) => characters.test(character))?.[0]
}
