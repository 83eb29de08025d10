import type { Layer } from '../document.ts'
import { fitImage } from '../shapes/fit-image.ts'
import { boundsOf, centreOf, grown, type Point, type Rect, turnedCorners } from '../shapes/geometry.ts'
import { hullOf, parsePath } from '../shapes/svg-path.ts'
import { ptToMm } from '../shapes/units.ts'
import type { TextLayout } from '../text/layout.ts'
import type { AssetSize } from './context.ts'

/** The corners of what a layer may draw on, in millimetres from the trim box's top left. */
export function layerPolygon(layer: Layer, assets: ReadonlyMap<string, AssetSize>): Point[] {
  return turnedCorners(drawnRect(layer, assets), layer.rotation, centreOf(layer))
}

function drawnRect(layer: Layer, assets: ReadonlyMap<string, AssetSize>): Rect {
  if (layer.type === 'image') {
    const asset = assets.get(layer.assetId)
    return asset === undefined ? layer : offset(fitImage(layer, asset).shown, layer)
  }
  if (layer.type !== 'shape') return layer
  return grown(shapeRect(layer), (layer.stroke?.widthMm ?? 0) / 2)
}

function shapeRect(layer: Layer & { type: 'shape' }): Rect {
  if (layer.shape !== 'path') return layer
  const parsed = parsePath(layer.path ?? '')
  if (!parsed.ok || parsed.steps.length === 0) return layer
  return offset(boundsOf(hullOf(parsed.steps)), layer)
}

/** The corners of the lines of a text, or undefined when it draws nothing. */
export function textPolygon(layer: Layer & { type: 'text' }, layout: TextLayout): Point[] | undefined {
  const corners = layout.lines.flatMap((line) => {
    const baseline = line.runs[0]?.baselineYPt
    if (baseline === undefined) return []
    // The line's height, but no more of it than letters take up.
    const top = Math.max(line.topPt, baseline - layout.fontSizePt)
    const bottom = Math.min(line.topPt + line.heightPt, baseline + 0.3 * layout.fontSizePt)
    return [
      { x: ptToMm(line.xPt), y: ptToMm(top) },
      { x: ptToMm(line.xPt + line.widthPt), y: ptToMm(bottom) },
    ]
  })
  if (corners.length === 0) return undefined
  return turnedCorners(offset(boundsOf(corners), layer), layer.rotation, centreOf(layer))
}

function offset(rect: Rect, { x, y }: Point): Rect {
  return { ...rect, x: rect.x + x, y: rect.y + y }
}
