import type { DesignDocument } from '@platen/drawing'
import { findLayer, layersOf } from '../document/layers.ts'
import type { EditorState } from './editor-state.ts'
import {
  EMPTY_HISTORY,
  endStep,
  goBack,
  goForward,
  type History,
  type Merge,
  rebase,
  record,
  type Step,
  type Travelled,
} from './history.ts'

export interface EditOptions {
  /** See `History.mergeKey`. */
  mergeKey?: string | undefined
  /** The selection after the change. The present one by default, without removed layers. */
  select?: readonly string[] | undefined
}

/** The settable part of the state. The document changes by `edit` only, so that every change can be undone. */
export type StatePatch = Partial<Omit<EditorState, 'document' | 'canUndo' | 'canRedo'>>

export interface Replacement {
  patch?: StatePatch | undefined
  /**
   * Given if the changes are from elsewhere, such as from another tab: undo does not take them back, and brings its
   * steps together with them in this way. Without it, the replacement is a step of undo.
   */
  merge?: Merge | undefined
}

export interface EditorStore {
  get(): EditorState
  /** Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void
  /** Changes the document as one step of undo. Without effect if the document stays the same, or cannot be changed. */
  edit(change: (document: DesignDocument) => DesignDocument, options?: EditOptions): void
  /** Ends a step of merged changes, such as at the end of a drag. */
  endStep(): void
  undo(): void
  redo(): void
  /** Takes a document that was not made by an edit. */
  replaceDocument(document: DesignDocument, replacement?: Replacement): void
  set(patch: StatePatch): void
  /** Selects layers of one print area, and shows it. */
  select(layerIds: readonly string[]): void
  show(printAreaId: string): void
}

export interface StoreRules {
  /** Tells whether the service would refuse the change, such as one that a template forbids. It is then not made. */
  refuses(before: DesignDocument, after: DesignDocument): boolean
}

export function createEditorStore(initial: EditorState, rules?: StoreRules): EditorStore {
  let state = initial
  let history: History = EMPTY_HISTORY
  const listeners = new Set<() => void>()

  const publish = (next: EditorState): void => {
    if (next === state) return
    state = next
    for (const listener of [...listeners]) listener()
  }
  const present = (): Step => ({
    document: state.document,
    selection: state.selection,
    printAreaId: state.printAreaId,
  })
  const recorded = (after: Pick<Step, 'document' | 'selection'>, mergeKey?: string): History =>
    record(history, { before: present(), after: { ...after, printAreaId: state.printAreaId } }, mergeKey)
  const withHistory = (next: History, patch: Partial<EditorState>): void => {
    history = next
    publish({ ...state, ...patch, canUndo: next.past.length > 0, canRedo: next.future.length > 0 })
  }
  const travel = (travelled: Travelled | undefined): void => {
    if (travelled === undefined || !state.isEditable) return
    const { document, printAreaId } = travelled.step
    const selection = existing(document, travelled.step.selection)
    const editing = editingIn(document, state)
    withHistory(travelled.history, { document, selection, printAreaId, editing })
  }

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit(change, { mergeKey, select } = {}) {
      if (!state.isEditable) return
      const document = change(state.document)
      if (document === state.document || rules?.refuses(state.document, document) === true) return
      const selection = existing(document, select ?? state.selection)
      withHistory(recorded({ document, selection }, mergeKey), { document, selection })
    },
    endStep() {
      history = endStep(history)
    },
    undo: () => travel(goBack(history, present())),
    redo: () => travel(goForward(history, present())),
    replaceDocument(document, { patch, merge } = {}) {
      const selection = existing(document, state.selection)
      const isEditingGone =
        state.editing !== undefined && findLayer(document, state.editing.layerId)?.layer === undefined
      withHistory(merge === undefined ? recorded({ document, selection }) : rebase(history, document, merge), {
        document,
        selection,
        ...(isEditingGone ? { editing: undefined } : {}),
        ...patch,
      })
    },
    set: (patch) => publish({ ...state, ...patch }),
    select(layerIds) {
      const [first] = layerIds
      const found = first === undefined ? undefined : findLayer(state.document, first)
      const printAreaId = found?.printAreaId ?? state.printAreaId
      const shown = new Set(layersOf(state.document, printAreaId).map(({ id }) => id))
      const selection = layerIds.filter((id) => shown.has(id))
      if (printAreaId === state.printAreaId && sameIds(selection, state.selection)) return
      history = endStep(history)
      publish({ ...state, printAreaId, selection, editing: undefined })
    },
    show(printAreaId) {
      if (printAreaId === state.printAreaId) return
      history = endStep(history)
      publish({ ...state, printAreaId, selection: [], editing: undefined, view: undefined })
    },
  }
}

/** Returns what is edited after a step of undo. In a text, the caret moves to the end of the change. */
function editingIn(document: DesignDocument, { document: before, editing }: EditorState): EditorState['editing'] {
  if (editing?.kind !== 'text') return undefined
  const old = findLayer(before, editing.layerId)?.layer
  const layer = findLayer(document, editing.layerId)?.layer
  if (old?.type !== 'text' || layer?.type !== 'text' || old.text === layer.text) return undefined
  const caret = endOfChange(old.text, layer.text)
  return { ...editing, anchor: caret, focus: caret }
}

function endOfChange(before: string, after: string): number {
  const shortest = Math.min(before.length, after.length)
  let same = 0
  while (same < shortest && before.at(-1 - same) === after.at(-1 - same)) same += 1
  return after.length - same
}

function existing(document: DesignDocument, layerIds: readonly string[]): readonly string[] {
  return layerIds.every((id) => findLayer(document, id) !== undefined)
    ? layerIds
    : layerIds.filter((id) => findLayer(document, id) !== undefined)
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i])
}
