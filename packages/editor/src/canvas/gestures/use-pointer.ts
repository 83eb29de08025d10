import type { Point } from '@platen/drawing'
import { type RefObject, useEffect } from 'react'
import { findLayer } from '../../document/layers.ts'
import type { EditorStore } from '../../state/editor-store.ts'
import type { ValueStore } from '../../state/value-store.ts'
import { keepInSight, panView, type Size, zoomView } from '../../state/view.ts'
import { effectiveCrop, setCrop, zoomCrop } from './crop-gesture.ts'
import type { Gesture } from './gesture.ts'
import { pinchView } from './pinch.ts'
import { beginGesture, type PointerDeps, pointerAt } from './pointer-controller.ts'

const DOUBLE_MS = 350
const DOUBLE_PX = 8
const WHEEL_ZOOM = 0.0022
/** One notch of a wheel is about 5 %, because each step costs resolution. */
const WHEEL_CROP = 0.0005
/** Browsers report lines instead of pixels for some mice. */
const LINE_PX = 16
const EDITING = 'textarea, input, select, button, [contenteditable]'
/** What lies on the stage and takes the pointer itself. */
const CONTROLS = `${EDITING}, .pe-legend, .pe-crop-bar`

/** Lets the pointer, the wheel and fingers act on the stage. */
export function usePointer(ref: RefObject<HTMLElement | null>, deps: PointerDeps, size: ValueStore<Size>): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the members of deps are listed one by one
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const ended = new AbortController()
    listenToPointers(element, deps, size, ended.signal)
    listenToWheel(element, deps.store, deps, size, ended.signal)
    return () => ended.abort()
  }, [ref, size, deps.store, deps.stage, deps.printArea, deps.engine, deps.locale])
}

function listenToPointers(element: HTMLElement, deps: PointerDeps, size: ValueStore<Size>, signal: AbortSignal): void {
  const { store } = deps
  const fingers = new Map<number, Point>()
  let gesture: Gesture | undefined
  let last = { at: 0, x: 0, y: 0 }
  let holdsSpace = false

  const isDouble = ({ timeStamp, clientX, clientY }: PointerEvent): boolean => {
    const near = Math.hypot(clientX - last.x, clientY - last.y) <= DOUBLE_PX
    const double = near && timeStamp - last.at <= DOUBLE_MS
    last = double ? { at: 0, x: 0, y: 0 } : { at: timeStamp, x: clientX, y: clientY }
    return double
  }
  const finish = (event: PointerEvent | undefined): void => {
    const running = gesture
    gesture = undefined
    running?.end(event === undefined ? undefined : pointerAt(store, element, event))
  }
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button > 1 || (event.composedPath()[0] as Element).closest?.(CONTROLS) != null) return
      if (event.pointerType === 'touch') {
        // The first finger is the only one. The browser may not have told the end of an earlier one.
        if (event.isPrimary) fingers.clear()
        fingers.set(event.pointerId, pointerAt(store, element, event).px)
      }
      element.setPointerCapture(event.pointerId)
      finish(undefined)
      if (event.pointerType === 'touch' && fingers.size > 1) return
      gesture = beginGesture(deps, {
        ...pointerAt(store, element, event),
        isTouch: event.pointerType === 'touch',
        pans: event.button === 1 || holdsSpace,
        isDouble: isDouble(event),
      })
    },
    { signal },
  )
  element.addEventListener(
    'mousedown',
    (event) => {
      // The text keeps the focus while it is selected with the pointer.
      if (store.get().editing?.kind === 'text') event.preventDefault()
    },
    { signal },
  )
  element.addEventListener(
    'pointermove',
    (event) => {
      const at = pointerAt(store, element, event)
      const pair = [...fingers]
      const [one, other] = pair
      if (one !== undefined && other !== undefined && pair.length === 2 && fingers.has(event.pointerId)) {
        const before = [one[1], other[1]] as const
        fingers.set(event.pointerId, at.px)
        const after = [fingers.get(one[0]) ?? one[1], fingers.get(other[0]) ?? other[1]] as const
        changeView(deps, size, (view) => pinchView(view, before, after))
        return
      }
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at.px)
      gesture?.move(at)
    },
    { signal },
  )
  const release = (event: PointerEvent, isCancelled: boolean): void => {
    fingers.delete(event.pointerId)
    finish(isCancelled ? undefined : event)
  }
  element.addEventListener('pointerup', (event) => release(event, false), { signal })
  element.addEventListener('pointercancel', (event) => release(event, true), { signal })
  const keys = (event: KeyboardEvent): void => {
    const isTyping = (event.composedPath()[0] as Element | undefined)?.matches?.(EDITING) === true
    if (event.key === ' ' && !isTyping) holdsSpace = event.type === 'keydown'
    if (event.key === 'Escape' && event.type === 'keydown' && gesture !== undefined) {
      event.stopPropagation()
      finish(undefined)
    }
  }
  window.addEventListener('keydown', keys, { signal, capture: true })
  window.addEventListener('keyup', keys, { signal, capture: true })
}

function listenToWheel(
  element: HTMLElement,
  store: EditorStore,
  deps: PointerDeps,
  size: ValueStore<Size>,
  signal: AbortSignal,
): void {
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit]
      if (zoomPicture(deps, Math.exp(-dy * WHEEL_CROP))) return
      const { px } = pointerAt(store, element, event)
      const zooms = event.ctrlKey || event.metaKey
      changeView(deps, size, (view) => {
        if (zooms) return zoomView(view, Math.exp(-dy * WHEEL_ZOOM), px)
        return event.shiftKey && dx === 0 ? panView(view, -dy, 0) : panView(view, -dx, -dy)
      })
    },
    { signal, passive: false },
  )
}

/** While a picture is cropped, the wheel enlarges it in its frame. */
function zoomPicture({ store }: PointerDeps, factor: number): boolean {
  const { editing, document, assets } = store.get()
  if (editing?.kind !== 'crop') return false
  const layer = findLayer(document, editing.layerId)?.layer
  const asset = layer?.type === 'image' ? assets.get(layer.assetId) : undefined
  if (layer?.type !== 'image' || asset === undefined) return false
  setCrop({ store }, layer, zoomCrop(effectiveCrop(layer, asset), factor), `crop-zoom:${layer.id}`)
  return true
}

type ViewChange = (
  view: NonNullable<ReturnType<EditorStore['get']>['view']>,
) => NonNullable<ReturnType<EditorStore['get']>['view']>

function changeView({ store, printArea }: PointerDeps, size: ValueStore<Size>, change: ViewChange): void {
  const { view } = store.get()
  if (view !== undefined) store.set({ view: keepInSight(change(view), printArea, size.get()) })
}
