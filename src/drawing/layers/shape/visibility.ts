import type { Stroke } from '../../document/schema/shape-layer.ts'
import type { ShapeLayer } from '../../document/shape-layer.ts'
import { isTransparent } from '../../shapes/color.ts'
import type { PathStep } from '../../shapes/path/path-step.ts'
import { parsePath } from '../../shapes/path/svg-path.ts'

/**
 * Tells whether a shape is invisible: fully transparent, without fill and stroke, or a path without extent. A path with
 * invalid data counts as visible, because another issue already reports it.
 */
export function showsNothing(layer: ShapeLayer): boolean {
  return layer.opacity === 0 || (!isFilled(layer) && !isStroked(layer)) || goesNowhere(layer)
}

/** Tells whether a shape has a visible fill. A line has no fill. */
export function isFilled({ shape, fill }: ShapeLayer): boolean {
  return shape !== 'line' && fill !== undefined && !isTransparent(fill)
}

export function isStroked({ stroke }: ShapeLayer): boolean {
  return stroke !== undefined && !isTransparent(stroke.color) && !hasOnlyGaps(stroke)
}

// Strokes have butt caps, so a dash of length 0 prints nothing. By SVG 2, section 13.5.6, a list with an odd number of
// lengths is repeated, so that each length is a dash once. If all lengths are 0, the stroke is solid.
function hasOnlyGaps({ dashMm = [] }: Stroke): boolean {
  return dashMm.length % 2 === 0 && dashMm.some(isLong) && !dashMm.some((mm, index) => index % 2 === 0 && isLong(mm))
}

function isLong(mm: number): boolean {
  return mm > 0
}

function goesNowhere({ shape, path }: ShapeLayer): boolean {
  if (shape !== 'path') return false
  const parsed = parsePath(path ?? '')
  return parsed.ok && !hasExtent(parsed.steps)
}

function hasExtent(steps: readonly PathStep[]): boolean {
  let start = { x: 0, y: 0 }
  for (const step of steps) {
    if (step.type === 'move') start = step
    // Closing a path draws a line only after a step that leaves the start, and that step already makes the path
    // visible.
    else if (step.type !== 'close' && leaves(start, step)) return true
  }
  return false
}

function leaves({ x, y }: { x: number; y: number }, step: PathStep & { type: 'line' | 'curve' }): boolean {
  if (step.x !== x || step.y !== y) return true
  return step.type === 'curve' && (step.x1 !== x || step.y1 !== y || step.x2 !== x || step.y2 !== y)
}
