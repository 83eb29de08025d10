import type { Point, Rect } from '@platen/drawing'
import { boundsOfLayers } from '../../document/geometry/boxes.ts'
import { withGroups } from '../../document/groups.ts'
import { layersOf } from '../../document/layers.ts'
import { RESTING } from '../stage-state.ts'
import type { Gesture, GestureContext } from './gesture.ts'

/** Selects the layers that a rectangle touches. */
export function marqueeGesture({ store, stage, printArea }: GestureContext, from: Point, adds: boolean): Gesture {
  const kept = adds ? store.get().selection : []
  return {
    move(at) {
      const marquee = rectOf(from, at.mm)
      const layers = layersOf(store.get().document, printArea.id).filter(({ opacity }) => opacity > 0)
      const touched = layers.filter((layer) => touches(marquee, boundsOfLayers([layer])))
      const ids = withGroups(
        layers,
        touched.map(({ id }) => id),
      )
      store.select([...new Set([...kept, ...ids])])
      stage.set({ ...RESTING, marquee })
    },
    end: () => stage.set(RESTING),
  }
}

function rectOf(one: Point, other: Point): Rect {
  const x = Math.min(one.x, other.x)
  const y = Math.min(one.y, other.y)
  return { x, y, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) }
}

function touches(one: Rect, other: Rect | undefined): boolean {
  if (other === undefined) return false
  const isApart = (at: number, size: number, otherAt: number, otherSize: number): boolean =>
    at > otherAt + otherSize || otherAt > at + size
  return !isApart(one.x, one.width, other.x, other.width) && !isApart(one.y, one.height, other.y, other.height)
}
