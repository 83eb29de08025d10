/** The fonts a document may use, as layout and preflight need them. The installation supplies one; see `createFontBook`. */
export interface FontBook {
  /** Families in a fixed order, which is also the order of fallback. */
  readonly families: readonly FontFamily[]
  /**
   * The font files to try for a text, best first: those of the family in the nearest weight and style
   * (CSS Fonts 4, section 5.2), then those of every other family, of the same kind first. Empty when the family is not
   * installed. The same list for the same request.
   */
  facesFor(request: FontRequest): readonly FontFace[]
  /** The widths of one run of text in one font file, direction and script. Shared: do not change it. */
  shape(run: ShapeRequest): ShapedRun
}

export type FontStyleName = 'normal' | 'italic'
export type TextDirection = 'ltr' | 'rtl'

export interface FontFamily {
  family: string
  styles: { weight: number; style: FontStyleName }[]
  /** ISO 15924 codes. */
  scripts: string[]
}

export interface FontRequest {
  family: string
  weight: number
  style: FontStyleName
}

/** One font file. Families are often split into several files, each covering some scripts. */
export interface FontFace {
  /** SHA-256 of the file, hex: equal across installations. */
  readonly sha256: string
  /** The family name under which the file is registered for drawing; one name, one file. */
  readonly alias: string
  readonly family: string
  /** Whether the file kerns by GPOS. Its old table `kern` is never used, as not every shaper reads it. */
  readonly isKerned: boolean
  /** Heights in em, both positive. */
  readonly ascent: number
  readonly descent: number
  /** Whether the file is there for this character, and has it. */
  covers(codePoint: number): boolean
  /** Whether the file has this character, such as a mark to set on one that it covers. */
  has(codePoint: number): boolean
  /** Whether the marks of a letter of a left-to-right script stand on it, and not beside it. */
  setsMarks(grapheme: string): boolean
  /** How far the letters of a run reach, whatever the font says of its letters in general. */
  inkOf(run: Omit<ShapeRequest, 'face'>): InkReach
}

/** In em, from the baseline: upwards and downwards. Less than nothing on the side where there is no ink. */
export interface InkReach {
  readonly above: number
  readonly below: number
}

export interface ShapeRequest {
  face: FontFace
  text: string
  direction: TextDirection
  /** Letter-spaced text is set without ligatures and contextual alternates, as in CSS Text 4, section 8.2. */
  spaced: boolean
}

/** Advances are in em, without letter spacing. */
export interface ShapedRun {
  readonly width: number
  /** `advances[i]` belongs to the cluster that starts at UTF-16 offset `i`; 0 at offsets inside a cluster. */
  readonly advances: readonly number[]
  /** Of letter-spaced text, the UTF-16 offsets of the clusters that spacing follows: all but joiners. */
  readonly letters: ReadonlySet<number>
  /** For each glyph, left to right, the offset of its cluster. */
  readonly glyphClusters: readonly number[]
}
