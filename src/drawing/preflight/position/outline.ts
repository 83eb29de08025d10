import type { Layer } from '../../document.ts'
import { ellipseBounds, inscribedEllipse } from '../../shapes/ellipse.ts'
import { fitImage } from '../../shapes/fit-image.ts'
import { boundsOf, centreOf, grown, type Point, type Rect, turnedCorners, turnedPoints } from '../../shapes/geometry.ts'
import { pathHull } from '../../shapes/path/path-hull.ts'
import { ptToMm } from '../../shapes/units.ts'
import type { TextLayout } from '../../text/layout.ts'
import type { AssetSize } from '../context.ts'
import type { Outline } from './trim-shape.ts'

/** The outline of a layer as it is drawn: of an image what is shown of it, of a shape with its stroke. */
export function outlineOf(layer: Layer, assets: ReadonlyMap<string, AssetSize>): Outline {
  if (layer.type === 'shape') return shapeOutline(layer)
  return { points: turnedCorners(shownRect(layer, assets), layer.rotation, centreOf(layer)) }
}

function shownRect(layer: Layer, assets: ReadonlyMap<string, AssetSize>): Rect {
  const asset = layer.type === 'image' ? assets.get(layer.assetId) : undefined
  if (layer.type !== 'image' || asset === undefined) return layer
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

/** What of a layer must keep the safe margin: a QR code's box, the lines of a text; none when it draws nothing. */
export function guardedPoints(layer: Guarded, layout: TextLayout | undefined): Point[] {
  if (layer.type === 'qr') return turnedCorners(layer, layer.rotation, centreOf(layer))
  return layout === undefined ? [] : textCorners(layer, layout)
}

function textCorners(layer: Layer & { type: 'text' }, layout: TextLayout): Point[] {
  const corners = layout.lines.flatMap((line) => {
    const baseline = line.runs[0]?.baselineYPt
    if (baseline === undefined) return []
    // The line's height, but no more of it than letters take up.
    const top = Math.max(line.topPt, baseline - layout.fontSizePt)
    const bottom = Math.min(line.topPt + line.heightPt, baseline + 0.3 * layout.fontSizePt)
    const rect = { x: line.xPt, y: top, width: line.widthPt, height: bottom - top }
    return turnedCorners(rect, 0, { x: 0, y: 0 })
  })
  const placed = corners.map(({ x, y }) => ({ x: layer.x + ptToMm(x), y: layer.y + ptToMm(y) }))
  return turnedPoints(placed, layer.rotation, centreOf(layer))
}
