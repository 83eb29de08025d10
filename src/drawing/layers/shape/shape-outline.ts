import type { ShapeLayer } from '../../document/shape-layer.ts'
import { inscribedEllipse } from '../../shapes/ellipse.ts'
import { boundsOf, centreOf, grown, type Point, type Rect, turnedCorners, turnedPoints } from '../../shapes/geometry.ts'
import { pathHull } from '../../shapes/path/path-hull.ts'
import type { Outline } from '../../trim/trim-shape.ts'

export function shapeOutline(layer: ShapeLayer): Outline {
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

// Lines have butt caps, so the stroke stops exactly at the ends of the line.
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
