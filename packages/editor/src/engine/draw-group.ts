import type { DrawGroup } from '@platen/drawing/engine'
import { type Context2D, withExactText } from './context.ts'

/**
 * Draws a group on a canvas of its own with the same pixels, and then the canvas with the opacity of the context. Only the
 * part of the group that the context shows is drawn.
 */
export const drawGroup: DrawGroup = (context, bounds, draw) => {
  const target = context as unknown as Context2D
  const matrix = target.getTransform()
  const { x, y, width, height } = bounds
  const corners = [
    { x, y },
    { x: x + width, y },
    { x, y: y + height },
    { x: x + width, y: y + height },
  ].map((corner) => matrix.transformPoint(corner))
  const [left, right] = span(corners, ({ x }) => x, target.canvas.width)
  const [top, bottom] = span(corners, ({ y }) => y, target.canvas.height)
  if (right <= left || bottom <= top) return
  const canvas = new OffscreenCanvas(right - left, bottom - top)
  const within = canvas.getContext('2d')
  if (within === null) throw new Error('The browser cannot create a canvas')
  const { a, b, c, d, e, f } = matrix
  within.setTransform(a, b, c, d, e - left, f - top)
  withExactText(within, () => draw(within as never))
  target.save()
  target.resetTransform()
  target.drawImage(canvas, left, top)
  target.restore()
}

/** Returns the first and last pixel between corners, within 0 and `size`. */
function span(corners: readonly DOMPoint[], axis: (point: DOMPoint) => number, size: number): [number, number] {
  const values = corners.map(axis)
  return [Math.max(0, Math.floor(Math.min(...values))), Math.min(size, Math.ceil(Math.max(...values)))]
}
