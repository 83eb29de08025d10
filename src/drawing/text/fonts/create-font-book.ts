import { createTextCache } from '../../text-cache.ts'
import type {
  FontBook,
  FontFace,
  FontFamily,
  FontRequest,
  FontStyleName,
  InkReach,
  ShapedRun,
  ShapeRequest,
} from './font-book.ts'
import { nearestStyle } from './nearest-style.ts'
import { inkOf, openFont, type ShapingFont, setsMarks, shapeRun } from './shape.ts'

/** An available font file. It is loaded when a text first needs a code point in its ranges. */
export interface FontFile {
  family: string
  weight: number
  style: FontStyleName
  /** ISO 15924 codes of the scripts for which the file is intended. */
  scripts: readonly string[]
  /**
   * The inclusive ranges of code points that the file claims to support. The file itself determines which of them have
   * a glyph.
   */
  ranges: CodePointRanges
  /** The category of the family, such as `serif`. Fallback tries families of the same category first. */
  category?: string
  /** Returns the file as TrueType or OpenType, and its SHA-256 in hexadecimal. */
  load(): { bytes: Uint8Array; sha256: string }
}

export type CodePointRanges = readonly (readonly [first: number, last: number])[]

// Words are shorter than this limit. Longer texts are seldom shaped twice, so they are not cached.
const CACHED_TEXT_LENGTH = 256
// How many entries the cache holds. A text counts as one entry for each 64 characters, the length of a long word.
const CACHED_RUNS = 20_000
const CHARACTERS_OF_A_RUN = 64

/**
 * Creates a font book over the given files that shapes with HarfBuzz. Families keep the order of their first file, and
 * files of one family keep their order. Both orders decide which font supplies a character, so the caller must keep
 * them fixed.
 */
export function createFontBook(files: readonly FontFile[]): FontBook {
  const families = groupByFamily(files)
  const requests = new Map<string, readonly FontFace[]>()
  let runs = new Map<FontFace, RunCache>()
  let runCount = 0

  function cacheFor({ face, direction, spaced }: ShapeRequest): Map<string, ShapedRun> {
    let cache = runs.get(face)
    if (cache === undefined) {
      cache = { ltr: new Map(), rtl: new Map(), spacedLtr: new Map(), spacedRtl: new Map() }
      runs.set(face, cache)
    }
    if (direction === 'ltr') return spaced ? cache.spacedLtr : cache.ltr
    return spaced ? cache.spacedRtl : cache.rtl
  }

  return {
    families: families.map(({ family, styles, scripts }) => ({ family, styles, scripts })),
    facesFor(request) {
      const key = `${request.weight} ${request.style} ${request.family}`
      const known = requests.get(key)
      if (known !== undefined) return known
      const found = orderFaces(families, request)
      // A client could name any number of unknown families, so they are not cached.
      if (found.length > 0) requests.set(key, found)
      return found
    },
    shape(run) {
      const { face, text } = run
      if (!(face instanceof LoadedFace)) throw new TypeError('The face does not come from this font book')
      if (text.length > CACHED_TEXT_LENGTH) return shapeRun(face.loaded.font, run)
      const known = cacheFor(run).get(text)
      if (known !== undefined) return known
      if (runCount >= CACHED_RUNS) {
        runs = new Map()
        runCount = 0
      }
      const shaped = shapeRun(face.loaded.font, run)
      cacheFor(run).set(text, shaped)
      runCount += 1 + text.length / CHARACTERS_OF_A_RUN
      return shaped
    },
  }
}

/**
 * Lists the files that claim to support the characters of a text, each once: for each character the first one of
 * `faces`. Opens no files. Layout may need further files, if one of these lacks a character that it claims to support.
 */
export function filesClaiming(faces: readonly FontFace[], text: string): FontFile[] {
  const loaded = faces.filter((face) => face instanceof LoadedFace)
  const codePoints = new Set(Array.from(text, (character) => character.codePointAt(0) ?? 0))
  const first = Array.from(codePoints, (codePoint) => loaded.find((face) => face.claims(codePoint))?.file)
  return [...new Set(first.filter((file) => file !== undefined))]
}

/**
 * The shaped runs of a face by their text, separately for each direction and for text with and without letter spacing.
 */
type RunCache = Record<'ltr' | 'rtl' | 'spacedLtr' | 'spacedRtl', Map<string, ShapedRun>>

class LoadedFace implements FontFace {
  readonly family: string
  readonly file: FontFile
  readonly #pages: ReadonlySet<number> | undefined
  #loaded: { sha256: string; alias: string; font: ShapingFont } | undefined

  constructor(file: FontFile) {
    this.file = file
    this.family = file.family
    this.#pages = pagesOf(file.ranges)
  }

  get loaded() {
    if (this.#loaded === undefined) {
      const { bytes, sha256 } = this.file.load()
      this.#loaded = { sha256, alias: fontAlias(sha256), font: openFont(bytes) }
    }
    return this.#loaded
  }

  get sha256() {
    return this.loaded.sha256
  }

  get alias() {
    return this.loaded.alias
  }

  get isKerned() {
    return this.loaded.font.isKerned
  }

  get ascent() {
    return this.loaded.font.ascent
  }

  get descent() {
    return this.loaded.font.descent
  }

  covers(codePoint: number): boolean {
    return this.claims(codePoint) && this.has(codePoint)
  }

  /** Tells whether the ranges of the file include this character, without opening the file. */
  claims(codePoint: number): boolean {
    if (this.#pages?.has(codePoint >> PAGE_BITS) === false) return false
    return this.file.ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
  }

  has(codePoint: number): boolean {
    return this.loaded.font.has(codePoint)
  }

  setsMarks(grapheme: string): boolean {
    return setsMarks(this.loaded.font, grapheme)
  }

  inkOf(run: Omit<ShapeRequest, 'face'>): InkReach {
    const key = `${this.alias} ${run.direction} ${run.spaced}\n${run.text}`
    const known = inks.get(key)
    if (known !== undefined) return known
    const ink = inkOf(this.loaded.font, run)
    inks.set(key, ink)
    return ink
  }
}

// Ink extents are cached, because preflight tries several positions for a text and needs its extents for each.
const inks = createTextCache<InkReach>()

/** Returns the family name under which a font file is registered for drawing. No installed font has such a name. */
function fontAlias(sha256: string): string {
  return `platen-${sha256.slice(0, 20)}`
}

const PAGE_BITS = 8
const pages = new WeakMap<CodePointRanges, ReadonlySet<number> | undefined>()

/**
 * Returns the pages of 256 characters in which the ranges have characters. Looking up a page rules out most files
 * quickly. Returns undefined if a range is so large that listing its pages would take long.
 */
function pagesOf(ranges: CodePointRanges): ReadonlySet<number> | undefined {
  if (pages.has(ranges)) return pages.get(ranges)
  const found = new Set<number>()
  for (const [first, last] of ranges) {
    if (last - first > 0xffff) {
      pages.set(ranges, undefined)
      return undefined
    }
    for (let page = first >> PAGE_BITS; page <= last >> PAGE_BITS; page++) found.add(page)
  }
  pages.set(ranges, found)
  return found
}

interface FamilyFaces extends FontFamily {
  category: string
  faces: LoadedFace[]
}

function groupByFamily(files: readonly FontFile[]): FamilyFaces[] {
  const families = new Map<string, FamilyFaces>()
  for (const file of files) {
    const { family, weight, style, scripts, category = DEFAULT_CATEGORY } = file
    const entry = families.get(family) ?? { family, styles: [], scripts: [], category, faces: [] }
    families.set(family, entry)
    entry.faces.push(new LoadedFace(file))
    if (!entry.styles.some((known) => known.weight === weight && known.style === style)) {
      entry.styles.push({ weight, style })
    }
    for (const script of scripts) if (!entry.scripts.includes(script)) entry.scripts.push(script)
  }
  return [...families.values()]
}

const DEFAULT_CATEGORY = 'sans-serif'

/** Orders faces for fallback: first the requested family, then families of its category, then all other families. */
function orderFaces(families: readonly FamilyFaces[], request: FontRequest): FontFace[] {
  const own = families.find(({ family }) => family === request.family)
  if (own === undefined) return []
  const others = families.filter((entry) => entry !== own)
  const ofItsKind = others.filter(({ category }) => category === own.category)
  const ofOtherKinds = others.filter(({ category }) => category !== own.category)
  return [own, ...ofItsKind, ...ofOtherKinds].flatMap(({ faces, styles }) => {
    const match = nearestStyle(styles, request)
    return faces.filter(({ file }) => file.weight === match?.weight && file.style === match.style)
  })
}
