import type { DesignDocument, Rect } from '@platen/drawing'
import { boundsOfLayers } from '../../document/geometry/boxes.ts'
import { type Snapped, type SnapTargets, snapBox, snapTargets } from '../../document/geometry/snap.ts'
import { type Handle, resizeBox, scaleLayer, withBox, withGeometry } from '../../document/geometry/transform.ts'
import { changeLayers, type EditorLayer, findLayer, layersOf } from '../../document/layers.ts'
import { RESTING } from '../stage-state.ts'
import { type Gesture, type GestureContext, nextGestureKey, type PointerAt } from './gesture.ts'
import { selectedLayers } from './move-gesture.ts'

const LEAST_SCALE = 0.01

/** Changes the size of the selection with one of its handles. */
export function resizeGesture(context: GestureContext, handle: Handle): Gesture | undefined {
  const layers = selectedLayers(context.store.get().document, context.store.get().selection)
  if (layers.length === 0 || layers.some(({ lock }) => lock?.move === true)) return undefined
  const [layer] = layers
  return layers.length === 1 && layer !== undefined
    ? resizeOne(context, handle, layer)
    : scaleAll(context, handle, layers)
}

function resizeOne(context: GestureContext, handle: Handle, layer: EditorLayer): Gesture {
  const { store, stage, printArea } = context
  const targets = snapTargets(
    printArea,
    layersOf(store.get().document, printArea.id).flatMap((other) =>
      other.id === layer.id || other.opacity === 0 ? [] : (boundsOfLayers([other]) ?? []),
    ),
  )
  const mergeKey = nextGestureKey()
  const isCorner = handle.x !== 0 && handle.y !== 0
  // The corners of photos and texts keep the ratio, because a distorted photo is hardly ever wanted.
  const keepsRatioByItself = isCorner && layer.type !== 'shape'
  return {
    move(at) {
      const keepsRatio = layer.type === 'qr' || keepsRatioByItself !== at.shift
      const free = resizeBox(layer, handle, at.mm, { keepsRatio, fromCentre: at.alt })
      const canSnap = !keepsRatio && layer.rotation === 0 && !at.ctrl && store.get().snaps
      const snapped = canSnap ? snapEdges(free, handle, targets, context.toleranceMm) : NOT_SNAPPED
      const to = { x: at.mm.x + snapped.dx, y: at.mm.y + snapped.dy }
      const box = canSnap ? resizeBox(layer, handle, to, { keepsRatio, fromCentre: at.alt }) : free
      store.edit(
        (document) =>
          changeLayers(document, [layer.id], (present) => withGeometry(present, withBox(layer, box, isCorner))),
        { mergeKey },
      )
      const readout = `${context.formatMm(box.width)} × ${context.formatMm(box.height)}`
      stage.set({ ...RESTING, guides: snapped.guides, moving: [layer.id], readout })
    },
    end: endOf(context, mergeKey, [layer]),
  }
}

const NOT_SNAPPED: Snapped = { dx: 0, dy: 0, guides: [] }

function snapEdges(box: Rect, handle: Handle, targets: SnapTargets, toleranceMm: number): Snapped {
  const edge = (side: -1 | 0 | 1): number[] => (side === 0 ? [] : [(side + 1) / 2])
  return snapBox(box, targets, toleranceMm, { x: edge(handle.x), y: edge(handle.y) })
}

/** Scales several layers together, around the opposite corner of their bounds. */
function scaleAll(context: GestureContext, handle: Handle, layers: readonly EditorLayer[]): Gesture | undefined {
  const { store, stage } = context
  const bounds = boundsOfLayers(layers)
  if (bounds === undefined) return undefined
  const mergeKey = nextGestureKey()
  const ids = layers.map(({ id }) => id)
  const corner = (x: number, y: number) => ({
    x: bounds.x + ((x + 1) / 2) * bounds.width,
    y: bounds.y + ((y + 1) / 2) * bounds.height,
  })
  const factorOf = (at: PointerAt): number => {
    const fixed = at.alt ? corner(0, 0) : corner(-handle.x, -handle.y)
    const start = corner(handle.x, handle.y)
    const along = { x: start.x - fixed.x, y: start.y - fixed.y }
    const lengthSquared = along.x ** 2 + along.y ** 2
    if (lengthSquared === 0) return 1
    const factor = ((at.mm.x - fixed.x) * along.x + (at.mm.y - fixed.y) * along.y) / lengthSquared
    return Math.max(LEAST_SCALE, factor)
  }
  return {
    move(at) {
      const factor = factorOf(at)
      const fixed = at.alt ? corner(0, 0) : corner(-handle.x, -handle.y)
      store.edit(
        (document) =>
          changeLayers(document, ids, (layer) =>
            withGeometry(layer, scaleLayer(layers.find(({ id }) => id === layer.id) ?? layer, factor, fixed)),
          ),
        { mergeKey },
      )
      stage.set({ ...RESTING, moving: ids, readout: `${Math.round(factor * 100)} %` })
    },
    end: endOf(context, mergeKey, layers),
  }
}

/** Ends a gesture, and restores the layers if it was interrupted. */
export function endOf(
  { store, stage }: GestureContext,
  mergeKey: string,
  before: readonly EditorLayer[],
): (at: PointerAt | undefined) => void {
  return (at) => {
    if (at === undefined) store.edit((document) => restored(document, before), { mergeKey })
    store.endStep()
    stage.set(RESTING)
  }
}

function restored(document: DesignDocument, before: readonly EditorLayer[]): DesignDocument {
  return before.reduce(
    (present, layer) =>
      findLayer(present, layer.id) === undefined
        ? present
        : changeLayers(present, [layer.id], (now) => withGeometry(now, layer)),
    document,
  )
}
