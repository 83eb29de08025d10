import * as hb from 'harfbuzzjs'
import type {
  FontBook,
  FontFace,
  FontFamily,
  FontRequest,
  FontStyleName,
  ShapedRun,
  ShapeRequest,
} from './font-book.ts'

/** A font file on offer. It is loaded when a text first needs a code point in its ranges. */
export interface FontFile {
  family: string
  weight: number
  style: FontStyleName
  /** ISO 15924 codes of the scripts the file is there for. */
  scripts: readonly string[]
  /** Inclusive ranges of code points the file claims; what it really holds is read from the file. */
  ranges: readonly (readonly [first: number, last: number])[]
  /** The file as TrueType or OpenType, and its SHA-256 in hex. */
  load(): { bytes: Uint8Array; sha256: string }
}

// Longer texts are rare and would fill the cache with what is never asked for again.
const CACHED_TEXT_LENGTH = 256
const CACHED_RUNS = 4_000

/**
 * A font book over the given files, shaping with HarfBuzz. Families keep the order in which they first appear, and
 * files of one family theirs: both decide which font supplies a character, so the order must be fixed.
 */
export function createFontBook(files: readonly FontFile[]): FontBook {
  const faces = files.map((file) => new LoadedFace(file))
  const families = listFamilies(files)
  const requests = new Map<string, readonly FontFace[]>()
  const buffer = new hb.Buffer()
  const plain = new Map<string, ShapedRun>()

  return {
    families,
    facesFor(request) {
      const key = `${request.weight} ${request.style} ${request.family}`
      const known = requests.get(key)
      if (known !== undefined) return known
      const found = families.some(({ family }) => family === request.family) ? orderFaces(faces, families, request) : []
      // Families that do not exist are not remembered: a client could name any number of them.
      if (found.length > 0) requests.set(key, found)
      return found
    },
    shape(run) {
      if (run.text.length > CACHED_TEXT_LENGTH) return shapeRun(buffer, run)
      const key = `${run.face.sha256} ${run.direction} ${run.spaced} ${run.text}`
      const known = plain.get(key)
      if (known !== undefined) return known
      const shaped = shapeRun(buffer, run)
      if (plain.size >= CACHED_RUNS) plain.clear()
      plain.set(key, shaped)
      return shaped
    },
  }
}

class LoadedFace implements FontFace {
  readonly family: string
  readonly file: FontFile
  #loaded: { sha256: string; font: hb.Font; unitsPerEm: number; codePoints: ReadonlySet<number> } | undefined

  constructor(file: FontFile) {
    this.file = file
    this.family = file.family
  }

  get loaded() {
    if (this.#loaded === undefined) {
      const { bytes, sha256 } = this.file.load()
      const face = new hb.Face(new hb.Blob(bytes))
      const codePoints = new Set(face.collectUnicodes())
      this.#loaded = { sha256, font: new hb.Font(face), unitsPerEm: face.upem, codePoints }
    }
    return this.#loaded
  }

  get sha256() {
    return this.loaded.sha256
  }

  get alias() {
    return fontAlias(this.sha256)
  }

  get ascent() {
    return this.loaded.font.hExtents().ascender / this.loaded.unitsPerEm
  }

  get descent() {
    return -this.loaded.font.hExtents().descender / this.loaded.unitsPerEm
  }

  covers(codePoint: number): boolean {
    const claimed = this.file.ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
    return claimed && this.loaded.codePoints.has(codePoint)
  }
}

/** The family name under which a font file is registered for drawing; no installed font has such a name. */
export function fontAlias(sha256: string): string {
  return `platen-${sha256.slice(0, 20)}`
}

function shapeRun(buffer: hb.Buffer, { face, text, direction, spaced }: ShapeRequest): ShapedRun {
  if (!(face instanceof LoadedFace)) throw new TypeError('The face does not come from this font book')
  const { font, unitsPerEm } = face.loaded
  buffer.reset()
  buffer.addText(text)
  buffer.setDirection(direction === 'rtl' ? hb.Direction.RTL : hb.Direction.LTR)
  // The language that drawing sets too: it may select other glyph forms.
  buffer.setLanguage(SHAPING_LANGUAGE)
  buffer.guessSegmentProperties()
  hb.shape(font, buffer, spaced ? SPACED_FEATURES : [])
  const advances = new Float64Array(text.length)
  const positions = buffer.getGlyphPositions()
  const clusters = new Set<number>()
  const glyphClusters: number[] = []
  let width = 0
  for (const [i, { cluster }] of buffer.getGlyphInfos().entries()) {
    clusters.add(cluster)
    glyphClusters.push(cluster)
    const advance = (positions[i]?.xAdvance ?? 0) / unitsPerEm
    advances[cluster] = (advances[cluster] ?? 0) + advance
    width += advance
  }
  return { width, advances, clusters, glyphClusters }
}

export const SHAPING_LANGUAGE = 'en'
const SPACED_FEATURES = ['liga', 'clig', 'calt'].map((tag) => new hb.Feature(tag, 0))

function listFamilies(files: readonly FontFile[]): FontFamily[] {
  const families = new Map<string, FontFamily>()
  for (const { family, weight, style, scripts } of files) {
    const entry = families.get(family) ?? { family, styles: [], scripts: [] }
    families.set(family, entry)
    if (!entry.styles.some((known) => known.weight === weight && known.style === style)) {
      entry.styles.push({ weight, style })
    }
    for (const script of scripts) if (!entry.scripts.includes(script)) entry.scripts.push(script)
  }
  return [...families.values()]
}

function orderFaces(faces: readonly LoadedFace[], families: readonly FontFamily[], request: FontRequest): FontFace[] {
  const ordered = [
    ...families.filter(({ family }) => family === request.family),
    ...families.filter(({ family }) => family !== request.family),
  ]
  return ordered.flatMap((entry) => {
    const match = nearestStyle(entry.styles, request)
    if (match === undefined) return []
    return faces.filter(
      ({ file }) => file.family === entry.family && file.weight === match.weight && file.style === match.style,
    )
  })
}

/** The style first, then the weight, as CSS Fonts 4, section 5.2, "Matching font styles". Nothing is synthesised. */
export function nearestStyle<Style extends { weight: number; style: FontStyleName }>(
  styles: readonly Style[],
  wanted: { weight: number; style: FontStyleName },
): Style | undefined {
  const sameStyle = styles.filter(({ style }) => style === wanted.style)
  const candidates = sameStyle.length > 0 ? sameStyle : styles
  return [...candidates].sort((a, b) => weightRank(a.weight, wanted.weight) - weightRank(b.weight, wanted.weight))[0]
}

// Ranks fall into bands, nearest first within each: the exact weight, then the side CSS searches first, then the other.
function weightRank(weight: number, wanted: number): number {
  const distance = Math.abs(weight - wanted)
  const [second, third] = [1_000, 2_000]
  if (wanted >= 400 && wanted <= 500) {
    if (weight >= wanted && weight <= 500) return distance
    return (weight < wanted ? second : third) + distance
  }
  const searchedFirst = wanted < 400 ? weight <= wanted : weight >= wanted
  return (searchedFirst ? 0 : second) + distance
}
