import type { FontBook, TextDirection } from '../fonts/font-book.ts'
import type { PositionedRun, TextLine } from '../place-line.ts'
import { graphemesOf } from '../unicode/graphemes.ts'

/** The place of one grapheme on a line. */
export interface Cell {
  /** Offsets in the prepared paragraph. */
  start: number
  end: number
  leftPt: number
  rightPt: number
  direction: TextDirection
}

/** Returns the cells of a line in the order of the text. Added hyphens have none. */
export function cellsOf({ runs }: TextLine, fonts: FontBook, sizePt: number): Cell[] {
  return runs.flatMap((run) => cellsOfRun(run, fonts, sizePt)).sort((a, b) => a.start - b.start)
}

/** Returns the edge of a cell at which its grapheme begins, in reading direction. */
export function leadingEdge({ direction, leftPt, rightPt }: Cell): number {
  return direction === 'ltr' ? leftPt : rightPt
}

/** Returns the edge of a cell at which its grapheme ends. */
export function trailingEdge({ direction, leftPt, rightPt }: Cell): number {
  return direction === 'ltr' ? rightPt : leftPt
}

function cellsOfRun(run: PositionedRun, fonts: FontBook, sizePt: number): Cell[] {
  if (run.end === run.start) return []
  const graphemes = [...graphemesOf(run.text)]
  const widths = withGap(graphemeWidths(run, graphemes, fonts, sizePt), run)
  const { direction, start } = run
  // In a right-to-left run, justification adds space to the left of the run.
  let x = direction === 'ltr' ? run.xPt : run.xPt + run.widthPt
  return graphemes.map(({ index, segment }, i): Cell => {
    const from = x
    x += (direction === 'ltr' ? 1 : -1) * (widths[i] ?? 0)
    const [leftPt, rightPt] = direction === 'ltr' ? [from, x] : [x, from]
    return { start: start + index, end: start + index + segment.length, leftPt, rightPt, direction }
  })
}

/** Divides the gap of a run of blanks among the blanks. The gap after other runs belongs to their last grapheme. */
function withGap(widths: number[], { gapPt, text }: PositionedRun): number[] {
  if (gapPt === 0) return widths
  const isBlank = text.trim() === ''
  return widths.map((width, i) => {
    if (isBlank) return width + gapPt / widths.length
    return i === widths.length - 1 ? width + gapPt : width
  })
}

/**
 * Returns the width of each grapheme. A cluster of several graphemes, such as a ligature, is divided evenly among them. A
 * grapheme of several clusters has the sum of their widths.
 */
function graphemeWidths(
  { face, text, direction, letterSpacingEm, widthPt }: PositionedRun,
  graphemes: readonly { index: number }[],
  fonts: FontBook,
  sizePt: number,
): number[] {
  if (face === undefined) return graphemes.map(() => widthPt / graphemes.length)
  const shaped = fonts.shape({ face, text, direction, spaced: letterSpacingEm !== 0 })
  const clusters = [...new Set(shaped.glyphClusters)].sort((a, b) => a - b)
  const starts = graphemes.map(({ index }) => index)
  const widths = starts.map(() => 0)
  for (const [i, cluster] of clusters.entries()) {
    const end = clusters[i + 1] ?? text.length
    const spacing = shaped.letters.has(cluster) ? letterSpacingEm : 0
    const width = ((shaped.advances[cluster] ?? 0) + spacing) * sizePt
    const inside = starts.flatMap((start, g) => (start >= cluster && start < end ? [g] : []))
    // A cluster that begins inside a grapheme belongs to this grapheme.
    const owners = inside.length > 0 && starts.includes(cluster) ? inside : [starts.findLastIndex((s) => s <= cluster)]
    for (const owner of owners) widths[owner] = (widths[owner] ?? 0) + width / owners.length
  }
  return widths
}
