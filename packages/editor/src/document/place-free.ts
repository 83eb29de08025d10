import { centreOf, type Point, type PrintArea, type Rect } from '@platen/drawing'
import { boundsOfAll } from './geometry/boxes.ts'
import { roundMm } from './geometry/lengths.ts'
import type { EditorLayer } from './layers.ts'

/** A layer that covers more of the area than this is a background, on which others are meant to lie. */
const BACKGROUND_SHARE = 0.6
const STEPS = 30
const SHIFT_MM = 5
const MIDDLE: Point = { x: 0, y: 0 }

/**
 * Moves a new layer to the nearest place where it covers the least of other layers and keeps the safe margin. A layer as
 * large as a background moves a little for as long as another one has the same centre, so that both can be seen.
 */
export function placeFree(layer: EditorLayer, area: PrintArea, others: readonly EditorLayer[]): EditorLayer {
  const boxes = others.map((other) => boundsOfAll([other]))
  const own = boundsOfAll([layer])
  const offset = isBackground(own, area)
    ? shiftedOffset(own, area, boxes)
    : (freeOffset(own, area, boxes) ?? shiftedOffset(own, area, boxes))
  return { ...layer, x: roundMm(layer.x + offset.x), y: roundMm(layer.y + offset.y) }
}

function isBackground({ width, height }: Rect, { widthMm, heightMm }: PrintArea): boolean {
  return width * height >= BACKGROUND_SHARE * widthMm * heightMm
}

function freeOffset(own: Rect, area: PrintArea, boxes: readonly Rect[]): Point | undefined {
  const { widthMm, heightMm } = area
  const obstacles = boxes.filter((box) => !isBackground(box, area))
  const step = Math.max(widthMm, heightMm) / STEPS
  const gap = step / 3
  const coveredAt = (offset: Point): number =>
    obstacles.reduce((sum, other) => sum + sharedArea(movedBy(own, offset), other, gap), 0)
  // A layer that is too large for the safe area may still lie in the middle.
  if (coveredAt(MIDDLE) === 0) return MIDDLE
  let best: { offset: Point; covered: number } | undefined
  for (const offset of offsetsBy(step)) {
    if (!keepsMargin(movedBy(own, offset), area)) continue
    const covered = coveredAt(offset)
    if (best === undefined || covered < best.covered) best = { offset, covered }
    if (covered === 0) break
  }
  return best?.offset
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
  return shifts.find((offset) => !isTaken(offset)) ?? MIDDLE
}

function movedBy(box: Rect, { x, y }: Point): Rect {
  return { ...box, x: box.x + x, y: box.y + y }
}

/** Returns the area that two boxes share, where one of them is larger by a gap on all sides. Lines count, too. */
function sharedArea(one: Rect, other: Rect, gap: number): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x) + 2 * gap
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y) + 2 * gap
  return Math.max(0, width) * Math.max(0, height)
}
