import type { DesignDocument, Point } from '@platen/drawing'
import { boundsOfLayers } from '../../document/geometry/boxes.ts'
import { type Snapped, snapBox, snapTargets } from '../../document/geometry/snap.ts'
import { moveLayer } from '../../document/geometry/transform.ts'
import { changeLayers, type EditorLayer, findLayer, layersOf } from '../../document/layers.ts'
import { RESTING } from '../stage-state.ts'
import { type Gesture, type GestureContext, nextGestureKey, type PointerAt } from './gesture.ts'

/** Moves the selected layers. Layers whose lock forbids it stay. */
export function moveGesture(context: GestureContext, from: Point): Gesture | undefined {
  const { store, stage, printArea } = context
  const before = store.get().document
  const layers = selectedLayers(before, store.get().selection).filter(({ lock }) => lock?.move !== true)
  const box = boundsOfLayers(layers)
  if (box === undefined) return undefined
  const ids = layers.map(({ id }) => id)
  const others = layersOf(before, printArea.id).filter(({ id, opacity }) => !ids.includes(id) && opacity > 0)
  const targets = snapTargets(
    printArea,
    others.flatMap((layer) => boundsOfLayers([layer]) ?? []),
  )
  const mergeKey = nextGestureKey()

  const snappedBy = (dx: number, dy: number, at: PointerAt): Snapped => {
    if (at.ctrl || !store.get().snaps) return { dx: 0, dy: 0, guides: [] }
    const axes = { x: !at.shift || dx !== 0 ? SIDES : [], y: !at.shift || dy !== 0 ? SIDES : [] }
    return snapBox({ ...box, x: box.x + dx, y: box.y + dy }, targets, context.toleranceMm, axes)
  }
  return {
    move(at) {
      const wanted = alongOneAxis({ x: at.mm.x - from.x, y: at.mm.y - from.y }, at.shift)
      const snapped = snappedBy(wanted.x, wanted.y, at)
      const dx = wanted.x + snapped.dx
      const dy = wanted.y + snapped.dy
      store.edit((document) => withMoved(document, before, ids, { x: dx, y: dy }), { mergeKey })
      const readout = `${context.formatMm(box.x + dx)} · ${context.formatMm(box.y + dy)}`
      stage.set({ ...RESTING, guides: snapped.guides, moving: ids, readout })
    },
    end(at) {
      if (at === undefined) store.edit((document) => withMoved(document, before, ids, { x: 0, y: 0 }), { mergeKey })
      store.endStep()
      stage.set(RESTING)
    },
  }
}

const SIDES = [0, 0.5, 1]

export function selectedLayers(document: DesignDocument, selection: readonly string[]): EditorLayer[] {
  return selection.flatMap((id) => findLayer(document, id)?.layer ?? [])
}

/** Moves layers from where they were before the gesture, so that rounding does not add up. */
function withMoved(
  document: DesignDocument,
  before: DesignDocument,
  ids: readonly string[],
  by: Point,
): DesignDocument {
  return changeLayers(document, ids, (layer) => {
    const start = findLayer(before, layer.id)?.layer ?? layer
    const { x, y } = moveLayer(start, by)
    return { ...layer, x, y }
  })
}

function alongOneAxis(by: Point, isOneAxis: boolean): Point {
  if (!isOneAxis) return by
  return Math.abs(by.x) >= Math.abs(by.y) ? { x: by.x, y: 0 } : { x: 0, y: by.y }
}
