import type { ShapeLayer } from '../../document/shape-layer.ts'
import { type Ellipse, ellipseContains, ellipseOverlapsPolygon, inscribedEllipse } from '../../shapes/ellipse.ts'
import { centreOf, type Point, polygonContains, polygonsOverlap, turnedCorners } from '../../shapes/geometry.ts'

/** The filled part of a shape. A rectangle with rounded corners counts as one with square corners. */
export interface FilledPart {
  overlaps(polygon: readonly Point[]): boolean
  contains(point: Point): boolean
}

export function filledPart(layer: ShapeLayer): FilledPart {
  if (layer.shape === 'ellipse') {
    const ellipse: Ellipse = { ...inscribedEllipse(layer), degrees: layer.rotation }
    return {
      overlaps: (polygon) => ellipseOverlapsPolygon(ellipse, polygon),
      contains: (point) => ellipseContains(ellipse, point),
    }
  }
  const corners = turnedCorners(layer, layer.rotation, centreOf(layer))
  return {
    overlaps: (polygon) => polygonsOverlap(polygon, corners),
    contains: (point) => polygonContains(corners, point),
  }
}
