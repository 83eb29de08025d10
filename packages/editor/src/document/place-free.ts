import { centreOf, type Point, type PrintArea, type Rect } from '@platen/drawing'
import { boundsOfAll } from './geometry/boxes.ts'
import { roundMm } from './geometry/lengths.ts'
import type { EditorLayer } from './layers.ts'

/** A layer that covers more of the area than this is a background, on which others are meant to lie. */
const BACKGROUND_SHARE = 0.6
const STEPS = 30
const SHIFT_MM = 5

/**
 * Moves a new layer to the nearest place where it covers no other layer and keeps the safe margin. Without such a place,
 * the layer moves a little for as long as another one has the same centre, so that both can be seen.
 */
export function placeFree(layer: EditorLayer, area: PrintArea, others: readonly EditorLayer[]): EditorLayer {
  const boxes = others.map((other) => boundsOfAll([other]))
  const own = boundsOfAll([layer])
  const offset = freeOffset(own, area, boxes) ?? shiftedOffset(own, area, boxes)
  return { ...layer, x: roundMm(layer.x + offset.x), y: roundMm(layer.y + offset.y) }
}

function freeOffset(own: Rect, area: PrintArea, boxes: readonly Rect[]): Point | undefined {
  const { widthMm, heightMm } = area
  const obstacles = boxes.filter(({ width, height }) => width * height < BACKGROUND_SHARE * widthMm * heightMm)
  const step = Math.max(widthMm, heightMm) / STEPS
  const gap = step / 3
  return offsetsBy(step).find((offset) => {
    const moved = movedBy(own, offset)
    // A layer that is too large for the safe area may still lie in the middle.
    const isInside = (offset.x === 0 && offset.y === 0) || keepsMargin(moved, area)
    return isInside && !obstacles.some((other) => overlaps(moved, other, gap))
  })
}

/** Offsets on a grid, the nearest first. Of two with the same distance, the lower one comes first. */
function offsetsBy(step: number): Point[] {
  const reach = Array.from({ length: 2 * STEPS + 1 }, (_, i) => (i - STEPS) * step)
  return reach
    .flatMap((x) => reach.map((y) => ({ x, y })))
    .sort((a, b) => Math.hypot(a.x, a.y) - Math.hypot(b.x, b.y) || b.y - a.y || a.x - b.x)
}

function keepsMargin({ x, y, width, height }: Rect, { widthMm, heightMm, safeMarginMm, shape }: PrintArea): boolean {
  const isInBox = (at: Point): boolean =>
    Math.min(at.x, at.y, widthMm - at.x, heightMm - at.y) >= Math.min(safeMarginMm, widthMm / 2, heightMm / 2)
  const isInEllipse = (at: Point): boolean =>
    ((at.x - widthMm / 2) / (widthMm / 2 - safeMarginMm)) ** 2 +
      ((at.y - heightMm / 2) / (heightMm / 2 - safeMarginMm)) ** 2 <=
    1
  const corners = [x, x + width].flatMap((cornerX) => [y, y + height].map((cornerY) => ({ x: cornerX, y: cornerY })))
  return corners.every((corner) => isInBox(corner) && (shape !== 'ellipse' || isInEllipse(corner)))
}

function shiftedOffset(own: Rect, area: PrintArea, boxes: readonly Rect[]): Point {
  const centres = boxes.map(centreOf)
  const isTaken = (offset: Point): boolean => {
    const { x, y } = centreOf(movedBy(own, offset))
    return centres.some((centre) => Math.hypot(centre.x - x, centre.y - y) < SHIFT_MM / 2)
  }
  const most = Math.floor(Math.min(area.widthMm, area.heightMm) / 2 / SHIFT_MM)
  const shifts = Array.from({ length: most + 1 }, (_, i) => ({ x: i * SHIFT_MM, y: i * SHIFT_MM }))
  return shifts.find((offset) => !isTaken(offset)) ?? { x: 0, y: 0 }
}

function movedBy(box: Rect, { x, y }: Point): Rect {
  return { ...box, x: box.x + x, y: box.y + y }
}

function overlaps(one: Rect, other: Rect, gap: number): boolean {
  return (
    one.x < other.x + other.width + gap &&
    other.x < one.x + one.width + gap &&
    one.y < other.y + other.height + gap &&
    other.y < one.y + one.height + gap
  )
}
