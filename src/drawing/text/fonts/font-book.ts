/** The fonts that a document may use, as layout and preflight need them. `createFontBook` creates an implementation. */
export interface FontBook {
  /** Families in a fixed order, which is also the order in which fallback tries them. */
  readonly families: readonly FontFamily[]
  /**
   * Returns the font files to try for a text, best first: the files of the family in the nearest weight and style (CSS
   * Fonts 4, section 5.2), then those of all other families, families of the same category first. Returns an empty list
   * if the family is not installed. The same request always returns the same list.
   */
  facesFor(request: FontRequest): readonly FontFace[]
  /**
   * Returns the widths of one run of text in one font file, direction and script. Calls share the result: do not change
   * it.
   */
  shape(run: ShapeRequest): ShapedRun
}

export type FontStyleName = 'normal' | 'italic'
export type TextDirection = 'ltr' | 'rtl'

export interface FontFamily {
  family: string
  styles: { weight: number; style: FontStyleName }[]
  /** ISO 15924 codes of the scripts for which the family is intended. */
  scripts: string[]
}

export interface FontRequest {
  family: string
  weight: number
  style: FontStyleName
}

/** One font file. Families are often split into several files, each covering some scripts. */
export interface FontFace {
  /** SHA-256 of the file in hexadecimal, equal in all installations. */
  readonly sha256: string
  /** The family name under which the file is registered for drawing. Each file has its own name. */
  readonly alias: string
  readonly family: string
  /**
   * Whether the file has kerning in its table GPOS. The older table `kern` is never used, because not every shaper
   * reads it.
   */
  readonly isKerned: boolean
  /** The heights above the baseline (ascent) and below it (descent) in em, both positive. */
  readonly ascent: number
  readonly descent: number
  /** Tells whether the ranges of the file include this character and the file has a glyph for it. */
  covers(codePoint: number): boolean
  /**
   * Tells whether the file has a glyph for this character, even if its ranges do not include the character. Combining
   * marks are an example.
   */
  has(codePoint: number): boolean
  /**
   * Tells whether the font places the marks of a letter on the letter, and not beside it. Suitable only for
   * left-to-right scripts.
   */
  setsMarks(grapheme: string): boolean
  /**
   * Measures how far the letters of a run actually extend, independent of the ascent and descent that the font states.
   */
  inkOf(run: Omit<ShapeRequest, 'face'>): InkReach
}

/**
 * Distances in em from the baseline, upwards and downwards. A value is negative if all ink lies on the other side of
 * the baseline.
 */
export interface InkReach {
  readonly above: number
  readonly below: number
}

export interface ShapeRequest {
  face: FontFace
  text: string
  direction: TextDirection
  /** Letter-spaced text has no ligatures and contextual alternates, as in CSS Text 4, section 8.2. */
  spaced: boolean
}

/** The result of shaping one run of text. Advances are in em, without letter spacing. */
export interface ShapedRun {
  readonly width: number
  /** `advances[i]` is the advance of the cluster that starts at UTF-16 offset `i`; 0 at offsets inside a cluster. */
  readonly advances: readonly number[]
  /** For letter-spaced text, the UTF-16 offsets of the clusters after which spacing is added: all except joiners. */
  readonly letters: ReadonlySet<number>
  /** For each glyph, from left to right, the offset of its cluster. */
  readonly glyphClusters: readonly number[]
}
