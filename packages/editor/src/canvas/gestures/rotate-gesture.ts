import { centreOf, type Point } from '@platen/drawing'
import { boundsOfLayers } from '../../document/geometry/boxes.ts'
import { normalizeDegrees, rotateLayer, withGeometry } from '../../document/geometry/transform.ts'
import { changeLayers } from '../../document/layers.ts'
import { RESTING } from '../stage-state.ts'
import { type Gesture, type GestureContext, nextGestureKey } from './gesture.ts'
import { selectedLayers } from './move-gesture.ts'
import { endOf } from './resize-gesture.ts'

const STEP_DEGREES = 15
const SNAP_DEGREES = 3

/** Rotates the selection around its centre. */
export function rotateGesture(context: GestureContext, from: Point): Gesture | undefined {
  const { store, stage } = context
  const layers = selectedLayers(store.get().document, store.get().selection)
  const bounds = boundsOfLayers(layers)
  const [first] = layers
  if (first === undefined || bounds === undefined || layers.some(({ lock }) => lock?.move === true)) return undefined
  const centre = layers.length === 1 ? centreOf(first) : centreOf(bounds)
  const angleOf = ({ x, y }: Point): number => (Math.atan2(y - centre.y, x - centre.x) * 180) / Math.PI
  const start = angleOf(from)
  const mergeKey = nextGestureKey()
  const ids = layers.map(({ id }) => id)
  return {
    move(at) {
      const wanted = first.rotation + angleOf(at.mm) - start
      const target = at.ctrl ? Math.round(wanted) : snapAngle(wanted, at.shift)
      const by = target - first.rotation
      store.edit(
        (document) =>
          changeLayers(document, ids, (layer) => {
            const before = layers.find(({ id }) => id === layer.id) ?? layer
            return withGeometry(layer, rotateLayer(before, by, centre))
          }),
        { mergeKey },
      )
      stage.set({ ...RESTING, moving: ids, readout: `${normalizeDegrees(target)}°` })
    },
    end: endOf(context, mergeKey, layers),
  }
}

function snapAngle(degrees: number, inSteps: boolean): number {
  if (inSteps) return Math.round(degrees / STEP_DEGREES) * STEP_DEGREES
  const quarter = Math.round(degrees / 45) * 45
  return Math.abs(degrees - quarter) <= SNAP_DEGREES ? quarter : Math.round(degrees)
}
