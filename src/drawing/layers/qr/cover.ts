import type { Layer } from '../../document/layer-types.ts'
import type { QrLayer } from '../../document/qr-layer.ts'
import type { ShapeLayer } from '../../document/shape-layer.ts'
import { parseColor } from '../../shapes/color.ts'
import { centreOf, type Point, turnedPoints } from '../../shapes/geometry.ts'
import { filledPart } from '../shape/filled-part.ts'
import { QUIET_ZONE_MODULES, qrSquare } from './qr-code.ts'

/** The shapes that hide a code from scanners, and the hidden share of its modules in percent. */
export interface Cover {
  ids: string[]
  percent: number
}

/** The share of a code that may be lost, in percent, by level: ISO/IEC 18004, section 7.5.1. */
export const RECOVERABLE: Readonly<Record<QrLayer['errorCorrection'], number>> = { L: 7, M: 15, Q: 25, H: 30 }

/**
 * Computes what opaque rectangles and ellipses above a code hide. Returns undefined if error correction can restore the
 * hidden part and the middle of each finder pattern is visible. The result ignores images and paths, because the area
 * that they hide is unknown here.
 *
 * @param size number of modules per side
 * @param layers all layers of the placement from bottom to top, including the code
 */
export function coverOf(code: QrLayer, size: number, layers: readonly Layer[]): Cover | undefined {
  const opaque = layers.slice(layers.findIndex(({ id }) => id === code.id) + 1).filter(isOpaque)
  if (opaque.length === 0) return undefined
  let open = pointsOf(code, size)
  const ids: string[] = []
  for (const layer of opaque) {
    const { contains } = filledPart(layer)
    const left = open.filter((point) => !contains(point))
    if (left.length < open.length) ids.push(layer.id)
    open = left
  }
  const percent = 100 * (1 - open.filter(({ isFinder }) => !isFinder).length / SAMPLES ** 2)
  const isFound = open.filter(({ isFinder }) => isFinder).length === 3
  return isFound && percent <= RECOVERABLE[code.errorCorrection] ? undefined : { ids, percent }
}

function isOpaque(layer: Layer): layer is ShapeLayer {
  if (layer.type !== 'shape' || layer.fill === undefined || layer.opacity < 1) return false
  return (layer.shape === 'rect' || layer.shape === 'ellipse') && parseColor(layer.fill).alpha === 1
}

/** The number of sample points along each side of a code. */
const SAMPLES = 10

// The distance of the middle of a finder pattern from the corner, in modules. A finder pattern is seven modules wide.
const FINDER_MIDDLE = 3.5

function pointsOf(code: QrLayer, size: number): (Point & { isFinder: boolean })[] {
  const square = qrSquare(code)
  const moduleMm = square.width / (size + 2 * QUIET_ZONE_MODULES)
  const [near, far] = [FINDER_MIDDLE, size - FINDER_MIDDLE]
  const finders = [
    { x: near, y: near },
    { x: far, y: near },
    { x: near, y: far },
  ]
  const grid = Array.from({ length: SAMPLES ** 2 }, (_, i) => ({
    x: (((i % SAMPLES) + 0.5) / SAMPLES) * size,
    y: ((Math.floor(i / SAMPLES) + 0.5) / SAMPLES) * size,
  }))
  const placed = [...finders, ...grid].map(({ x, y }) => ({
    x: code.x + square.x + (x + QUIET_ZONE_MODULES) * moduleMm,
    y: code.y + square.y + (y + QUIET_ZONE_MODULES) * moduleMm,
  }))
  return turnedPoints(placed, code.rotation, centreOf(code)).map((point, i) => ({
    ...point,
    isFinder: i < finders.length,
  }))
}
