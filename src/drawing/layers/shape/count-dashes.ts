import type { LayerInput } from '../../document/layer-types.ts'
import { roundLength } from '../../document/lengths.ts'
import { parsePath } from '../../shapes/path/svg-path.ts'

type Shape = Extract<LayerInput, { type: 'shape' }>

/**
 * Computes an upper bound of the dashes of a stroke. Curves count with the length of their control polygons, and boxes
 * with square corners. Returns 0 for a stroke without dashes, and for invalid numbers or path data.
 */
export function countDashes(layer: Shape): number {
  const { dashMm } = layer.stroke ?? {}
  if (dashMm === undefined) return 0
  const period = dashMm.reduce((sum, length) => sum + roundLength(length), 0)
  // The list alternates dashes and gaps, so half of its entries are dashes.
  const dashes = period > 0 ? (strokeLength(layer) / period) * (dashMm.length / 2) : 0
  return Number.isFinite(dashes) ? dashes : 0
}

function strokeLength({ shape, path, width, height }: Shape): number {
  if (shape === 'line') return Math.hypot(width, height)
  return shape === 'path' ? pathLength(path ?? '') : 2 * (width + height)
}

function pathLength(data: string): number {
  const parsed = parsePath(data)
  if (!parsed.ok) return 0
  let length = 0
  let at = { x: 0, y: 0 }
  let start = at
  const goTo = (x: number, y: number) => {
    length += Math.hypot(x - at.x, y - at.y)
    at = { x, y }
  }
  for (const step of parsed.steps) {
    if (step.type === 'close') goTo(start.x, start.y)
    else if (step.type === 'move') start = at = { x: step.x, y: step.y }
    else {
      if (step.type === 'curve') {
        goTo(step.x1, step.y1)
        goTo(step.x2, step.y2)
      }
      goTo(step.x, step.y)
    }
  }
  return length
}
