import { boundsOf, centreOf, type Point, type Rect, turnedCorners, turnedPoints } from '@platen/drawing'
import type { EditorLayer } from '../layers.ts'

/** Returns the corners of the turned box of a layer, in millimetres of the print area. */
export function cornersOf({ x, y, width, height, rotation }: EditorLayer): Point[] {
  const box = { x, y, width, height }
  return turnedCorners(box, rotation, centreOf(box))
}

/** Returns the upright rectangle around some layers; undefined without a layer. */
export function boundsOfLayers(layers: readonly EditorLayer[]): Rect | undefined {
  return layers.length === 0 ? undefined : boundsOfAll(layers)
}

/** Returns the upright rectangle around layers. At least one layer is needed. */
export function boundsOfAll(layers: readonly EditorLayer[]): Rect {
  return boundsOf(layers.flatMap(cornersOf))
}

/** Converts a point of the print area to the box of a layer before its rotation, from its top left. */
export function toLayer(layer: EditorLayer, point: Point): Point {
  const { x, y, rotation } = layer
  const [turned = point] = turnedPoints([point], -rotation, centreOf(layer))
  return { x: turned.x - x, y: turned.y - y }
}

/** Converts a point in the box of a layer to the print area. */
export function fromLayer(layer: EditorLayer, { x, y }: Point): Point {
  const point = { x: x + layer.x, y: y + layer.y }
  return turnedPoints([point], layer.rotation, centreOf(layer))[0] ?? point
}

/**
 * Returns the topmost layer at a point.
 *
 * @param toleranceMm how far beside a layer the point may be; it makes lines and small layers reachable
 */
export function layerAt(layers: readonly EditorLayer[], point: Point, toleranceMm: number): EditorLayer | undefined {
  const hits = (layer: EditorLayer, tolerance: number): boolean => {
    if (layer.opacity === 0) return false
    const { x, y } = toLayer(layer, point)
    if (layer.type === 'shape' && layer.shape === 'line') return distanceToLine(layer, { x, y }) <= tolerance
    return x >= -tolerance && y >= -tolerance && x <= layer.width + tolerance && y <= layer.height + tolerance
  }
  // A layer below the point wins against one beside it.
  return (
    layers.findLast((layer) => hits(layer, isLine(layer) ? toleranceMm : 0)) ??
    layers.findLast((layer) => hits(layer, toleranceMm))
  )
}

const isLine = (layer: EditorLayer): boolean => layer.type === 'shape' && layer.shape === 'line'

/** The distance to the line from the top left of a box to its bottom right. */
function distanceToLine({ width, height }: EditorLayer, { x, y }: Point): number {
  const lengthSquared = width ** 2 + height ** 2
  const along = lengthSquared === 0 ? 0 : Math.min(1, Math.max(0, (x * width + y * height) / lengthSquared))
  return Math.hypot(x - along * width, y - along * height)
}
