import type { TextLayer } from '../../document/text-layer.ts'
import { centreOf, type Point, turnedCorners, turnedPoints } from '../../shapes/geometry.ts'
import { ptToMm } from '../../shapes/units.ts'
import type { InkReach } from '../../text/fonts/font-book.ts'
import type { TextLayout } from '../../text/layout.ts'
import type { PositionedRun, TextLine } from '../../text/place-line.ts'

/**
 * Returns the corners of the lines of a text, which must keep the safe margin. Returns an empty list if the text draws
 * nothing.
 *
 * @param measure whether to measure lines or letters. In many fonts letters extend a little beyond their line, which is
 * harmless at the margin. If the line height is less than 1 em, the function always measures letters
 */
export function textCorners(layer: TextLayer, layout: TextLayout, measure: 'lines' | 'letters'): Point[] {
  const byLetters = measure === 'letters' || layer.lineHeight < 1
  const lines = layout.lines.flatMap((line) => lineExtent(line, layout.fontSizePt))
  const text = lines.reduce(
    ({ top, bottom }, line) => ({ top: Math.min(top, line.top), bottom: Math.max(bottom, line.bottom) }),
    { top: Number.POSITIVE_INFINITY, bottom: Number.NEGATIVE_INFINITY },
  )
  const corners = lines.flatMap((own) => {
    const { top, bottom } = byLetters ? withInk(own, text, layout.fontSizePt) : own
    const rect = { x: own.line.xPt, y: top, width: own.line.widthPt, height: bottom - top }
    return turnedCorners(rect, 0, { x: 0, y: 0 })
  })
  const placed = corners.map(({ x, y }) => ({ x: layer.x + ptToMm(x), y: layer.y + ptToMm(y) }))
  return turnedPoints(placed, layer.rotation, centreOf(layer))
}

/** Returns how far letters may extend beyond the lines of a text, in millimetres. */
export function lettersReach({ fontSizePt }: TextLayer): number {
  return ptToMm(INK_ABOVE_EM * fontSizePt)
}

/** A vertical extent, in points downwards from the top of the box of the text. */
interface VerticalExtent {
  top: number
  bottom: number
}

interface LineExtent extends VerticalExtent {
  line: TextLine
  baseline: number
}

/**
 * Returns the top and bottom of a line in a list of one item. Lines can be higher than letters, so the extent ends 1 em
 * above and 0.3 em below the baseline. A line without letters gives an empty list.
 */
function lineExtent(line: TextLine, sizePt: number): LineExtent[] {
  const baseline = line.runs[0]?.baselineYPt
  if (baseline === undefined) return []
  const top = Math.max(line.topPt, baseline - sizePt)
  const bottom = Math.min(line.topPt + line.heightPt, baseline + 0.3 * sizePt)
  return [{ line, baseline, top, bottom }]
}

// Limits in em within which letters with their marks stay in nearly all fonts. Near the edge, the actual letters are
// measured.
const INK_ABOVE_EM = 2
const INK_BELOW_EM = 1

/** Extends a line to the extent of its letters if they may reach beyond the extent of the whole text. */
function withInk(own: LineExtent, text: VerticalExtent, sizePt: number): VerticalExtent {
  const { line, baseline, top, bottom } = own
  const isInner = baseline - INK_ABOVE_EM * sizePt >= text.top && baseline + INK_BELOW_EM * sizePt <= text.bottom
  if (isInner) return { top, bottom }
  const inks = line.runs.map(inkOfRun)
  return {
    top: Math.min(top, ...inks.map(({ above }) => baseline - above * sizePt)),
    bottom: Math.max(bottom, ...inks.map(({ below }) => baseline + below * sizePt)),
  }
}

function inkOfRun({ face, text, direction, letterSpacingEm }: PositionedRun): InkReach {
  // The box that represents a missing character is within the line.
  return face?.inkOf({ text, direction, spaced: letterSpacingEm !== 0 }) ?? { above: 0, below: 0 }
}
