import type { Point, PrintArea } from '@platen/drawing'
import { layerAt } from '../../document/geometry/boxes.ts'
import { withGroups } from '../../document/groups.ts'
import { type EditorLayer, findLayer, layersOf } from '../../document/layers.ts'
import type { Engine } from '../../engine/index.ts'
import type { EditorStore } from '../../state/editor-store.ts'
import type { ValueStore } from '../../state/value-store.ts'
import { panView, toMm } from '../../state/view.ts'
import { handleAt, placeHandles } from '../handles.ts'
import type { StageState } from '../stage-state.ts'
import { cropGesture } from './crop-gesture.ts'
import type { Gesture, GestureContext, PointerAt } from './gesture.ts'
import { marqueeGesture } from './marquee-gesture.ts'
import { moveGesture, selectedLayers } from './move-gesture.ts'
import { resizeGesture } from './resize-gesture.ts'
import { rotateGesture } from './rotate-gesture.ts'
import { indexAt, selectTextGesture, wordAt } from './select-text-gesture.ts'

export interface PointerDeps {
  store: EditorStore
  stage: ValueStore<StageState>
  printArea: PrintArea
  engine: Engine
  locale: string
  formatMm(mm: number): string
}

/** The part of a pointer event that decides what happens. */
export interface PointerPress extends PointerAt {
  isTouch: boolean
  /** Middle button, or the space key is held. */
  pans: boolean
  /** The second of two quick presses at the same place. */
  isDouble: boolean
}

const SNAP_PX = 6
const START_PX = 3
const TOUCH_REACH_PX = 22
const MOUSE_REACH_PX = 9

/** Decides which gesture a press begins. */
export function beginGesture(deps: PointerDeps, press: PointerPress): Gesture | undefined {
  const { store, engine } = deps
  const { view, isEditable } = store.get()
  if (view === undefined) return undefined
  if (press.pans || !isEditable) return panGesture(store, press.px)
  const context = contextOf(deps, view.pxPerMm)
  return (
    continueEditing(deps, context, press) ??
    editOnDouble(deps, context, press) ??
    beginHandle(context, press) ??
    beginOnLayer(deps, context, press, engine) ??
    beginOnPaper(context, press)
  )
}

function contextOf({ store, stage, printArea, formatMm }: PointerDeps, pxPerMm: number): GestureContext {
  return { store, stage, printArea, formatMm, toleranceMm: SNAP_PX / pxPerMm }
}

/** A press into the text that is typed, or the picture that is cropped. Any other press ends this. */
function continueEditing(deps: PointerDeps, context: GestureContext, press: PointerPress): Gesture | undefined {
  const { store, engine, locale } = deps
  const { editing, document, assets } = store.get()
  const layer = editing === undefined ? undefined : findLayer(document, editing.layerId)?.layer
  if (editing === undefined || layer === undefined) return undefined
  if (layerAt([layer], press.mm, reachMm(context, press)) === undefined) {
    store.set({ editing: undefined })
    return undefined
  }
  if (editing.kind === 'crop') {
    const asset = layer.type === 'image' ? assets.get(layer.assetId) : undefined
    return asset === undefined ? undefined : cropGesture(context, layer.id, press.mm, asset)
  }
  if (press.isDouble && layer.type === 'text') {
    const [anchor, focus] = wordAt(layer.text, indexAt(engine, layer, press.mm), locale)
    store.set({ editing: { ...editing, anchor, focus } })
    return IDLE
  }
  return selectTextGesture(engine, store, layer.id, press.mm, press.shift)
}

/** On small layers, the handles cover the middle, where a double tap goes. */
function editOnDouble(deps: PointerDeps, context: GestureContext, press: PointerPress): Gesture | undefined {
  if (!press.isDouble) return undefined
  const { store, printArea } = deps
  const hit = layerAt(layersOf(store.get().document, printArea.id), press.mm, reachMm(context, press) / 2)
  return hit !== undefined && beginEditing(deps, hit, press.mm) ? IDLE : undefined
}

const IDLE: Gesture = { move: () => undefined, end: () => undefined }

function beginHandle(context: GestureContext, press: PointerPress): Gesture | undefined {
  const { store } = context
  const { view, selection, document } = store.get()
  if (view === undefined) return undefined
  const handles = placeHandles(selectedLayers(document, selection), view)
  const hit = handleAt(handles, press.px, press.isTouch ? TOUCH_REACH_PX : MOUSE_REACH_PX)
  if (hit === undefined) return undefined
  return hit.handle === undefined ? rotateGesture(context, press.mm) : resizeGesture(context, hit.handle)
}

function beginOnLayer(
  deps: PointerDeps,
  context: GestureContext,
  press: PointerPress,
  engine: Engine,
): Gesture | undefined {
  const { store, printArea } = deps
  const { document, selection } = store.get()
  const layers = layersOf(document, printArea.id)
  const hit = layerAt(layers, press.mm, reachMm(context, press) / 2)
  if (hit === undefined) return undefined
  const ids = withGroups(layers, [hit.id])
  const wasSelected = selection.includes(hit.id)
  if (!wasSelected) store.select(press.shift ? [...selection, ...ids] : ids)
  return afterDistance(
    press.px,
    () => moveGesture(context, press.mm),
    () => {
      if (!wasSelected) return
      if (press.shift) store.select(selection.filter((id) => !ids.includes(id)))
      else if (press.isTouch && selection.length === 1) beginEditing({ ...deps, engine }, hit, press.mm)
      else if (selection.length > ids.length) store.select(ids)
    },
  )
}

/** Begins to type into a text, or to crop a picture. Returns whether the layer allows it. */
function beginEditing({ store, engine }: PointerDeps, layer: EditorLayer, at: Point): boolean {
  if (layer.lock?.edit === true || (layer.type !== 'text' && layer.type !== 'image')) return false
  store.select([layer.id])
  if (layer.type === 'image') {
    store.set({ editing: { kind: 'crop', layerId: layer.id } })
    return true
  }
  const index = indexAt(engine, layer, at)
  store.set({ editing: { kind: 'text', layerId: layer.id, anchor: index, focus: index } })
  return true
}

function beginOnPaper(context: GestureContext, press: PointerPress): Gesture {
  const { store } = context
  if (!press.shift) store.select([])
  // One finger on the paper moves the view, because a phone has no other way.
  return press.isTouch ? panGesture(store, press.px) : marqueeGesture(context, press.mm, press.shift)
}

function reachMm({ store }: GestureContext, { isTouch }: PointerPress): number {
  return (isTouch ? TOUCH_REACH_PX / 2 : MOUSE_REACH_PX / 2) / (store.get().view?.pxPerMm ?? 1)
}

/** Moves the view. */
function panGesture(store: EditorStore, from: Point): Gesture {
  let last = from
  return {
    move({ px }) {
      const { view } = store.get()
      if (view !== undefined) store.set({ view: panView(view, px.x - last.x, px.y - last.y) })
      last = px
    },
    end: () => undefined,
  }
}

/** Begins a gesture when the pointer has moved far enough. A shorter movement is a click. */
function afterDistance(from: Point, begin: () => Gesture | undefined, click: () => void): Gesture {
  let gesture: Gesture | undefined
  let hasBegun = false
  return {
    move(at) {
      if (!hasBegun && Math.hypot(at.px.x - from.x, at.px.y - from.y) >= START_PX) {
        hasBegun = true
        gesture = begin()
      }
      gesture?.move(at)
    },
    end(at) {
      if (hasBegun) gesture?.end(at)
      else if (at !== undefined) click()
    },
  }
}

/** Describes an event of the pointer in the coordinates of the stage. */
export function pointerAt(
  store: EditorStore,
  element: Element,
  event: { clientX: number; clientY: number; shiftKey: boolean; altKey: boolean; ctrlKey: boolean; metaKey: boolean },
): PointerAt {
  const { left, top } = element.getBoundingClientRect()
  const px = { x: event.clientX - left, y: event.clientY - top }
  const { view } = store.get()
  return {
    px,
    mm: view === undefined ? { x: 0, y: 0 } : toMm(view, px),
    shift: event.shiftKey,
    alt: event.altKey,
    ctrl: event.ctrlKey || event.metaKey,
  }
}
