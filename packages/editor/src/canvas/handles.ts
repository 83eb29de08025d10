import type { Point, Rect } from '@platen/drawing'
import { boundsOfLayers, fromLayer } from '../document/geometry/boxes.ts'
import { HANDLES, type Handle } from '../document/geometry/transform.ts'
import type { EditorLayer } from '../document/layers.ts'
import type { View } from '../state/editor-state.ts'
import { toPx } from '../state/view.ts'

/** Distance of the handle that rotates from the box, in CSS pixels. */
export const ROTATE_DISTANCE_PX = 30
/** Below this size, the handles in the middle of the sides would cover the layer. */
const LEAST_SIDE_PX = 40

export interface PlacedHandle {
  kind: 'resize' | 'rotate'
  /** Undefined for the handle that rotates. */
  handle: Handle | undefined
  at: Point
}

/** Where the handles of the selection are in the stage, in CSS pixels. */
export function placeHandles(layers: readonly EditorLayer[], view: View): PlacedHandle[] {
  if (layers.length === 0 || layers.some(({ lock }) => lock?.move === true)) return []
  const [first] = layers
  const box = layers.length === 1 && first !== undefined ? first : asLayer(boundsOfLayers(layers))
  if (box === undefined) return []
  const pointAt = (x: number, y: number): Point =>
    toPx(view, fromLayer(box, { x: ((x + 1) / 2) * box.width, y: ((y + 1) / 2) * box.height }))
  const handles = HANDLES.filter((handle) => isUseful(handle, box, view, layers.length > 1)).map(
    (handle): PlacedHandle => ({ kind: 'resize', handle, at: pointAt(handle.x, handle.y) }),
  )
  const distance = ROTATE_DISTANCE_PX / view.pxPerMm
  const rotate = toPx(view, fromLayer(box, { x: box.width / 2, y: -distance }))
  return [...handles, { kind: 'rotate', handle: undefined, at: rotate }]
}

function isUseful({ x, y }: Handle, box: EditorLayer, { pxPerMm }: View, isGroup: boolean): boolean {
  if (x !== 0 && y !== 0) return true
  // Several layers scale in both directions at once, and the sides of a QR code are equal.
  if (isGroup || box.type === 'qr') return false
  if (x === 0) return box.width * pxPerMm >= LEAST_SIDE_PX
  return box.height * pxPerMm >= LEAST_SIDE_PX
}

function asLayer(bounds: Rect | undefined): EditorLayer | undefined {
  if (bounds === undefined) return undefined
  return { ...bounds, id: '', type: 'shape', shape: 'rect', rotation: 0, opacity: 1 }
}

/** Returns the handle at a point, the nearest one within reach. */
export function handleAt(handles: readonly PlacedHandle[], { x, y }: Point, reachPx: number): PlacedHandle | undefined {
  let best: { handle: PlacedHandle; distance: number } | undefined
  for (const handle of handles) {
    const distance = Math.hypot(handle.at.x - x, handle.at.y - y)
    if (distance <= reachPx && (best === undefined || distance < best.distance)) best = { handle, distance }
  }
  return best?.handle
}
