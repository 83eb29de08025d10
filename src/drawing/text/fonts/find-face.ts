import type { FontFace } from './font-book.ts'

/**
 * Finds the font file (face) for each character of a text. The finder searches a list of faces in order and takes the
 * first face that has the character.
 */
export interface FaceFinder {
  readonly firstHasAscii: boolean
  /**
   * Finds the face for a blank. Prefers `previous`, the face of the text before the blank, so that a sentence in a
   * second script stays in one face.
   */
  forBlank(codePoint: number, previous: FontFace | undefined): FontFace | undefined
  forCharacter(codePoint: number, previous: FontFace | undefined): FontFace | undefined
  /** Finds the face for a cluster of several characters. Returns undefined if no face has all of them. */
  forSequence(grapheme: string, previous: FontFace | undefined): FontFace | undefined
}

const finders = new WeakMap<readonly FontFace[], FaceFinder>()

/**
 * Returns the finder for a list of faces. The cache compares lists by identity, because a font book returns the same
 * list for the same request.
 */
export function faceFinder(faces: readonly FontFace[]): FaceFinder {
  const known = finders.get(faces)
  if (known !== undefined) return known
  const finder = createFinder(faces)
  finders.set(faces, finder)
  return finder
}

// Matches a character that needs no glyph, because shaping makes it invisible. Hangul fillers and the format controls
// of shorthand do need glyphs, although Unicode calls them ignorable.
const INVISIBLE = /^(?![\u115f\u1160\u3164\uffa0\u{1bca0}-\u{1bca3}])[\p{Default_Ignorable_Code_Point}\p{Cc}]$/u
// Matches a letter with combining marks in a script whose marks must be placed on the letter. In other scripts, marks
// may stand beside letters, so the font need not place them.
const MARKED_LETTER = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}+$/u
const SPACE = 0x20
const ZERO_WIDTH_SPACE = 0x200b
// How many characters and sequences a finder remembers: as many as a long text has. The limit bounds the memory,
// because clients can send any number of different characters.
const KNOWN_LIMIT = 20_000

function createFinder(faces: readonly FontFace[]): FaceFinder {
  const [first] = faces
  const known = new Map<number, FontFace | undefined>()
  const sequences = new Map<string, FontFace | undefined>()
  let firstHasAscii: boolean | undefined

  function find(codePoint: number): FontFace | undefined {
    if (known.has(codePoint)) return known.get(codePoint)
    const face = faces.find((candidate) => candidate.covers(codePoint))
    if (known.size >= KNOWN_LIMIT) known.clear()
    known.set(codePoint, face)
    return face
  }

  return {
    get firstHasAscii() {
      firstHasAscii ??= first !== undefined && hasAscii(first)
      return firstHasAscii
    },
    forBlank(codePoint, previous) {
      if (codePoint === ZERO_WIDTH_SPACE) return previous ?? first
      if (previous !== undefined && (previous.covers(codePoint) || previous.covers(SPACE))) return previous
      // If no font has this blank, shaping derives its width from the space.
      return find(codePoint) ?? find(SPACE)
    },
    forCharacter(codePoint, previous) {
      const face = find(codePoint)
      return face === undefined && INVISIBLE.test(String.fromCodePoint(codePoint)) ? (previous ?? first) : face
    },
    forSequence,
  }

  function forSequence(grapheme: string, previous: FontFace | undefined): FontFace | undefined {
    const needed = Array.from(grapheme)
      .filter((character) => !INVISIBLE.test(character))
      .map((character) => character.codePointAt(0) ?? 0)
    const [base, ...marks] = needed
    if (base === undefined) return previous ?? first
    if (sequences.has(grapheme)) return sequences.get(grapheme)
    const hasAll = (face: FontFace) => needed.every((codePoint) => face.has(codePoint))
    // A font file for one script may contain common marks without claiming them in its ranges, so marks are searched in
    // the file itself.
    const ofBase = faces.filter((face) => face.covers(base) && hasAll(face))
    const sets = (face: FontFace) => !MARKED_LETTER.test(grapheme) || face.setsMarks(grapheme)
    const face =
      ofBase.find(sets) ??
      faces.find((other) => marks.some((mark) => other.covers(mark)) && hasAll(other) && sets(other)) ??
      ofBase[0]
    if (sequences.size >= KNOWN_LIMIT) sequences.clear()
    sequences.set(grapheme, face)
    return face
  }
}

function hasAscii(face: FontFace): boolean {
  for (let codePoint = SPACE; codePoint < 0x7f; codePoint++) if (!face.covers(codePoint)) return false
  return true
}
