import type { Point, PrintArea } from '@platen/drawing'
import type { EditorStore } from '../../state/editor-store.ts'
import type { ValueStore } from '../../state/value-store.ts'
import type { StageState } from '../stage-state.ts'

/** A position of the pointer with the keys that change a gesture. */
export interface PointerAt {
  /** In the stage, in CSS pixels. */
  px: Point
  /** On the print area. */
  mm: Point
  /** Keeps the ratio, or moves along one axis. */
  shift: boolean
  /** Keeps the centre. */
  alt: boolean
  /** Does not snap. */
  ctrl: boolean
}

/** What follows the pointer until it is released. */
export interface Gesture {
  move(at: PointerAt): void
  /** @param at where the pointer was released; undefined if the gesture was interrupted */
  end(at: PointerAt | undefined): void
}

export interface GestureContext {
  store: EditorStore
  stage: ValueStore<StageState>
  printArea: PrintArea
  /** Snap distance and reach of a finger, in millimetres at the present zoom. */
  toleranceMm: number
  formatMm(mm: number): string
}

let gestures = 0

/** Returns a key for the changes of one gesture, so that they are one step of undo. */
export function nextGestureKey(): string {
  gestures += 1
  return `gesture:${gestures}`
}
