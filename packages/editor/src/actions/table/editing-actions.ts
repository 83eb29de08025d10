import { type EditorLayer, layersOf, removeLayers } from '../../document/layers.ts'
import { newText } from '../../document/new-layers.ts'
import { type Action, type ActionServices, hasSelection, isEditable } from '../action.ts'
import { type Clip, checkedLayers } from '../clipboard.ts'
import { copiesFor, insertLayers, insertNew, shownArea } from '../insert.ts'
import { describeLayers } from '../layer-name.ts'
import { changeableLayers, selectedLayers } from '../refusal.ts'

export const EDITING_ACTIONS = [
  {
    id: 'undo',
    group: 'editing',
    label: 'undo',
    shortcuts: ['Mod+Z'],
    isEnabled: ({ canUndo, isEditable }) => canUndo && isEditable,
    run({ store, announce, text }) {
      store.undo()
      announce(text('undone'))
    },
  },
  {
    id: 'redo',
    group: 'editing',
    label: 'redo',
    shortcuts: ['Mod+Shift+Z', 'Mod+Y'],
    isEnabled: ({ canRedo, isEditable }) => canRedo && isEditable,
    run({ store, announce, text }) {
      store.redo()
      announce(text('redone'))
    },
  },
  {
    id: 'cut',
    group: 'editing',
    label: 'cut',
    shortcuts: ['Mod+X'],
    isEnabled: hasSelection,
    run(services) {
      const layers = changeableLayers(services, 'remove')
      if (layers.length === 0) return
      void services.clipboard.write(layers)
      remove(services, layers)
    },
  },
  {
    id: 'copy',
    group: 'editing',
    label: 'copy',
    shortcuts: ['Mod+C'],
    isEnabled: ({ selection }) => selection.length > 0,
    run({ store, clipboard, announce, text }) {
      const layers = selectedLayers(store.get())
      void clipboard.write(layers)
      announce(text('copied', { name: describeLayers(layers, text) }))
    },
  },
  {
    // The keys arrive as a paste event, which also brings images.
    id: 'paste',
    group: 'editing',
    label: 'paste',
    shortcuts: ['Mod+V'],
    isEnabled: isEditable,
    run(services) {
      void services.clipboard.read().then((clip) => pasteClip(services, clip))
    },
  },
  {
    id: 'duplicate',
    group: 'editing',
    label: 'duplicate',
    shortcuts: ['Mod+D'],
    isEnabled: hasSelection,
    run(services) {
      const state = services.store.get()
      const layers = layersOf(state.document, state.printAreaId)
      const top = layers.findLastIndex(({ id }) => state.selection.includes(id))
      insertLayers(services, copiesFor(state, selectedLayers(state)), top + 1)
    },
  },
  {
    id: 'delete',
    group: 'editing',
    label: 'delete',
    shortcuts: ['Delete', 'Backspace'],
    isEnabled: hasSelection,
    run: (services) => remove(services, changeableLayers(services, 'remove')),
  },
  {
    id: 'selectAll',
    group: 'editing',
    label: 'selectAll',
    shortcuts: ['Mod+A'],
    isEnabled: () => true,
    run({ store, announce, text }) {
      const { document, printAreaId } = store.get()
      const layers = layersOf(document, printAreaId)
      store.select(layers.map(({ id }) => id))
      announce(text('selected', { name: describeLayers(layers, text) }))
    },
  },
  {
    id: 'selectNone',
    group: 'editing',
    label: 'selectNone',
    shortcuts: ['Escape'],
    isEnabled: ({ selection, editing }) => selection.length > 0 && editing === undefined,
    run({ store, announce, text }) {
      store.select([])
      announce(text('nothingSelected'))
    },
  },
] as const satisfies readonly Action[]

/** Puts onto the shown print area what the clipboard holds. */
export async function pasteClip(services: ActionServices, clip: Clip | undefined): Promise<void> {
  const { store, text } = services
  if (clip === undefined) {
    services.announce(text('clipboardEmpty'))
    return
  }
  if (clip.kind === 'text') {
    const content = clip.text.replaceAll('\0', '').toWellFormed().slice(0, 2_000).trim()
    insertNew(services, newText(shownArea(store.get()), content))
    return
  }
  try {
    const layers = clip.kind === 'layers' ? clip.layers : await checkedLayers(clip.values)
    if (layers === undefined) services.refuse(text('cannotPaste'))
    else insertLayers(services, copiesFor(store.get(), layers))
  } catch {
    // Without a network, the program of the check may be missing.
    services.refuse(text('partFailed'))
  }
}

function remove({ store, announce, text }: ActionServices, layers: readonly EditorLayer[]): void {
  if (layers.length === 0) return
  const name = describeLayers(layers, text)
  const ids = layers.map(({ id }) => id)
  store.edit((document) => removeLayers(document, ids))
  announce(text('removed', { name }))
}
