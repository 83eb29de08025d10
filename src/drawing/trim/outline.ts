import type { AssetSize, ImageLayer, Layer } from '../document/design-document.ts'
import { unknownLayer } from '../document/layer-type.ts'
import { fitImage } from '../layers/image/fit-image.ts'
import { ellipseBounds, inscribedEllipse } from '../shapes/ellipse.ts'
import { boundsOf, centreOf, grown, type Point, type Rect, turnedCorners, turnedPoints } from '../shapes/geometry.ts'
import { pathHull } from '../shapes/path/path-hull.ts'
import { ptToMm } from '../shapes/units.ts'
import type { InkReach } from '../text/fonts/font-book.ts'
import type { TextLayout } from '../text/layout.ts'
import type { PositionedRun, TextLine } from '../text/place-line.ts'
import type { Outline } from './trim-shape.ts'

/** The outline of a layer as it is drawn: of an image what is shown of it, of a shape with its stroke. */
export function outlineOf(layer: Layer, assets: ReadonlyMap<string, AssetSize>): Outline {
  switch (layer.type) {
    case 'shape':
      return shapeOutline(layer)
    case 'image':
      return { points: turnedCorners(shownRect(layer, assets), layer.rotation, centreOf(layer)) }
    case 'text':
    case 'qr':
      return { points: turnedCorners(layer, layer.rotation, centreOf(layer)) }
    default:
      return unknownLayer(layer)
  }
}

function shownRect(layer: ImageLayer, assets: ReadonlyMap<string, AssetSize>): Rect {
  const asset = assets.get(layer.assetId)
  if (asset === undefined) return layer
  const { shown } = fitImage(layer, asset)
  return { ...shown, x: shown.x + layer.x, y: shown.y + layer.y }
}

function shapeOutline(layer: Layer & { type: 'shape' }): Outline {
  const centre = centreOf(layer)
  const half = (layer.stroke?.widthMm ?? 0) / 2
  switch (layer.shape) {
    case 'rect':
      return { points: turnedCorners(grown(layer, half), layer.rotation, centre) }
    case 'ellipse':
      return { ellipse: { ...inscribedEllipse(grown(layer, half)), degrees: layer.rotation } }
    case 'line':
      return { points: turnedPoints(strokedLine(layer, half), layer.rotation, centre) }
    case 'path': {
      const hull = pathHull(layer.path ?? '')
      const points = hull.length === 0 ? turnedCorners(layer, 0, centre) : strokedHull(hull, layer, half)
      return { points: turnedPoints(points, layer.rotation, centre) }
    }
  }
}

// Lines end square, exactly at their ends.
function strokedLine({ x, y, width, height }: Rect, half: number): Point[] {
  const length = Math.hypot(width, height)
  const [dx, dy] = [(-height / length) * half, (width / length) * half]
  return [
    { x: x + dx, y: y + dy },
    { x: x + width + dx, y: y + height + dy },
    { x: x + width - dx, y: y + height - dy },
    { x: x - dx, y: y - dy },
  ]
}

function strokedHull(hull: readonly Point[], { x, y }: Point, half: number): Point[] {
  const moved = hull.map((point) => ({ x: point.x + x, y: point.y + y }))
  return half === 0 ? moved : turnedCorners(grown(boundsOf(moved), half), 0, { x, y })
}

/** The smallest upright rectangle around an outline. */
export function outlineBounds(outline: Outline): Rect {
  return 'ellipse' in outline ? ellipseBounds(outline.ellipse) : boundsOf(outline.points)
}

/** A layer that must keep the safe margin. */
export type Guarded = Layer & { type: 'text' | 'qr' }

/**
 * What of a layer must keep the safe margin: a QR code's box, the lines of a text; none when it draws nothing.
 *
 * @param measure whether a text ends where its lines do, or where its letters do. A little of them is beyond the lines of
 *   many fonts, which nobody minds at the margin. Lines lower than letters say nothing: there it is always the letters.
 */
export function guardedPoints(
  layer: Guarded,
  layout: TextLayout | undefined,
  measure: 'lines' | 'letters' = 'lines',
): Point[] {
  if (layer.type === 'qr') return turnedCorners(layer, layer.rotation, centreOf(layer))
  return layout === undefined ? [] : textCorners(layer, layout, measure === 'letters' || layer.lineHeight < 1)
}

function textCorners(layer: Layer & { type: 'text' }, layout: TextLayout, byLetters: boolean): Point[] {
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

/** In points, downwards from the top of the box. */
interface VerticalExtent {
  top: number
  bottom: number
}

interface LineExtent extends VerticalExtent {
  line: TextLine
  baseline: number
}

/** The height of a line, but no more of it than letters take up; none of a line without any. */
function lineExtent(line: TextLine, sizePt: number): LineExtent[] {
  const baseline = line.runs[0]?.baselineYPt
  if (baseline === undefined) return []
  const top = Math.max(line.topPt, baseline - sizePt)
  const bottom = Math.min(line.topPt + line.heightPt, baseline + 0.3 * sizePt)
  return [{ line, baseline, top, bottom }]
}

// Letters of nearly every font, marks on them included, reach no further, in em. What does is in a line at the edge.
const INK_ABOVE_EM = 2
const INK_BELOW_EM = 1

/** How far the letters of a text may be beyond its lines, in millimetres. */
export function lettersReach(layer: Guarded): number {
  return layer.type === 'text' ? ptToMm(INK_ABOVE_EM * layer.fontSizePt) : 0
}

/** The extent of a line with the letters that reach beyond it: measured where they may reach beyond the whole text. */
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
  // The box that is drawn for a character that no font has lies within.
  return face?.inkOf({ text, direction, spaced: letterSpacingEm !== 0 }) ?? { above: 0, below: 0 }
}
