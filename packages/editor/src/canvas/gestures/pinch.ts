import type { Point } from '@platen/drawing'
import type { View } from '../../state/editor-state.ts'
import { panView, zoomView } from '../../state/view.ts'

/** Zooms and moves a view with two fingers. The points under the fingers stay under them. */
export function pinchView(view: View, before: readonly [Point, Point], after: readonly [Point, Point]): View {
  const [from, to] = [middle(before), middle(after)]
  const spread = distance(before)
  const factor = spread === 0 ? 1 : distance(after) / spread
  return panView(zoomView(view, factor, from), to.x - from.x, to.y - from.y)
}

function middle([one, other]: readonly [Point, Point]): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 }
}

function distance([one, other]: readonly [Point, Point]): number {
  return Math.hypot(one.x - other.x, one.y - other.y)
}
