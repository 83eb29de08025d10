import { fillPlaceholders } from '../../src/drawing/document/placeholders.ts'
import type { DesignDocument, PlaceholderData, PrintArea, TextLayer } from '../../src/drawing/index.ts'
import { PT_PER_MM } from '../../src/drawing/index.ts'
import { layoutText } from '../../src/drawing/text/layout.ts'
import type { PageChar } from '../lib/pdfium.ts'
import { corpusFonts } from './corpus.ts'

/** A run of text as the layout places it, and the text that a reader extracts from the PDF at that position. */
export interface ComparedRun {
  layerId: string
  /** The number of the line within the layer, from 0. */
  line: number
  text: string
  /**
   * The extracted text. `found` and `expected` have no blanks and no invisible characters, because PDF readers insert
   * blanks of their own.
   */
  found: string
  expected: string
}

interface PlacedRun extends ComparedRun {
  /** Whether the line of the run has right-to-left text. */
  inRtlLine: boolean
  /** The position of the run, in points within the box of the layer. */
  x: number
  baseline: number
  width: number
  sizePt: number
  toLayer: (x: number, y: number) => { x: number; y: number }
  told: { text: string; isOnBaseline: boolean }[]
}

const TOLERANCE_PT = 0.1

/**
 * Compares the runs of a page with the characters that PDFium extracts at their positions. Returns the runs, and the
 * characters outside of all runs (`stray`).
 */
export function compareLines(
  { document, printArea, data }: { document: DesignDocument; printArea: PrintArea; data?: PlaceholderData | undefined },
  chars: readonly PageChar[],
): { runs: ComparedRun[]; stray: PageChar[] } {
  const layers = document.placements.filter(({ printAreaId }) => printAreaId === printArea.id).flatMap((p) => p.layers)
  const texts = layers.filter((layer) => layer.type === 'text')
  const runs = texts.flatMap((layer) => placeRuns({ ...layer, text: fillPlaceholders(layer.text, data) }, printArea))
  const stray: PageChar[] = []
  let told: string[] = []
  for (const telling of tellingsOf(chars)) {
    const run = runAt(runs, telling)
    if (run === undefined || (!beginsThere(run, telling) && told.includes(telling.char))) {
      if (!told.includes(telling.char)) stray.push(telling)
    } else {
      run.told.push({ text: telling.char, isOnBaseline: distanceFrom(run, telling).y < TOLERANCE_PT })
    }
    told = [...told, telling.char].slice(-REPEATED_WITHIN)
  }
  for (const run of runs) run.found = readRun(run)
  return {
    runs: runs.map(({ layerId, line, text, found, expected }) => ({ layerId, line, text, found, expected })),
    stray,
  }
}

/**
 * PDFium repeats the text of a run with each of its separately drawn pieces. Between such repetitions are at most this
 * many characters.
 */
const REPEATED_WITHIN = 4

/** Joins characters with the same position, because they belong to one text that was marked as a whole. */
function tellingsOf(chars: readonly PageChar[]): PageChar[] {
  const tellings: PageChar[] = []
  for (const { char, x, y } of chars) {
    if (comparable(char, false) === '') continue
    const last = tellings.at(-1)
    if (last !== undefined && last.x === x && last.y === y) last.char += char
    else tellings.push({ char, x, y })
  }
  return tellings
}

function beginsThere(run: PlacedRun, { x, y }: PageChar): boolean {
  return run.inRtlLine || Math.abs(distanceFrom(run, { char: '', x, y }).x) <= TOLERANCE_PT
}

function placeRuns(layer: TextLayer, printArea: PrintArea): PlacedRun[] {
  const toLayer = fromPageToLayer(layer, printArea)
  return layoutText(layer, corpusFonts).lines.flatMap(({ runs }, line) => {
    const inRtlLine = runs.some(({ direction }) => direction === 'rtl')
    return (
      runs
        // A character that no font has is drawn as a box, so it has no text to extract.
        .filter(({ face }) => face !== undefined)
        .map((run) => ({
          layerId: layer.id,
          line,
          text: run.text,
          expected: comparable(run.text, inRtlLine),
          found: '',
          inRtlLine,
          x: run.xPt,
          baseline: run.baselineYPt,
          width: run.widthPt,
          sizePt: layer.fontSizePt,
          toLayer,
          told: [],
        }))
    )
  })
}

/**
 * Returns a function that converts page points, which count upwards from the bottom left, to points in the box of the
 * layer, which count downwards from its top left.
 */
function fromPageToLayer({ x, y, width, height, rotation }: TextLayer, area: PrintArea): PlacedRun['toLayer'] {
  const pageHeight = area.heightMm + 2 * area.bleedMm
  const [sin, cos] = [Math.sin((-rotation * Math.PI) / 180), Math.cos((-rotation * Math.PI) / 180)]
  return (pageX, pageY) => {
    const fromCentreX = pageX / PT_PER_MM - area.bleedMm - x - width / 2
    const fromCentreY = pageHeight - pageY / PT_PER_MM - area.bleedMm - y - height / 2
    return {
      x: (fromCentreX * cos - fromCentreY * sin + width / 2) * PT_PER_MM,
      y: (fromCentreX * sin + fromCentreY * cos + height / 2) * PT_PER_MM,
    }
  }
}

/**
 * Finds the run to which a character belongs: the nearest run that has the same baseline and begins before the
 * character.
 */
function runAt(runs: readonly PlacedRun[], char: PageChar): PlacedRun | undefined {
  let best: PlacedRun | undefined
  let nearest = Number.POSITIVE_INFINITY
  for (const run of runs) {
    const { x, y } = distanceFrom(run, char)
    // A cluster of Arabic or Hebrew begins with its leftmost glyph. This may be a mark that extends beyond its letter,
    // so the tolerance is larger.
    if (y > (run.inRtlLine ? 0.5 * run.sizePt : TOLERANCE_PT)) continue
    if (
      x < (run.inRtlLine ? -0.2 * run.sizePt : -TOLERANCE_PT) ||
      x > run.width + TOLERANCE_PT ||
      Math.abs(x) + y >= nearest
    )
      continue
    best = run
    nearest = Math.abs(x) + y
  }
  return best
}

function distanceFrom(run: PlacedRun, char: PageChar): { x: number; y: number } {
  const at = run.toLayer(char.x, char.y)
  return { x: at.x - run.x, y: Math.abs(at.y - run.baseline) }
}

/** Returns the extracted text of a run. If no part of it is on the baseline, returns a description of this fault. */
function readRun({ told, inRtlLine }: PlacedRun): string {
  if (told.length > 0 && !told.some(({ isOnBaseline }) => isOnBaseline)) return 'not on the baseline'
  return comparable(told.map(({ text }) => text).join(''), inRtlLine)
}

/**
 * Normalizes text for comparison. In a line with right-to-left text, PDFium reorders characters and mirrors brackets.
 * In such a line, the position identifies the run, so it is enough to compare the sorted characters.
 */
function comparable(text: string, inRtlLine: boolean): string {
  const visible = text.replaceAll(INVISIBLE, '')
  if (!inRtlLine) return visible
  return [...visible.replaceAll(/[()[\]{}<>«»]/g, (bracket) => MIRRORED[bracket] ?? bracket)].sort().join('')
}

const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}\p{Cc}]/gu
const MIRRORED: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<', '»': '«' }
