import { EXAMPLE_LINK, newQr, newShape, newText, type ShapeKind } from '../../document/new-layers.ts'
import type { EditorMessage } from '../../messages.ts'
import { type Action, type ActionServices, isEditable } from '../action.ts'
import { insertNew, shownArea } from '../insert.ts'
import { selectedLayers } from '../refusal.ts'

const SHAPE_COLOR = '#2444C8'

const shape = <const Id extends string>(id: Id, label: EditorMessage, kind: ShapeKind) =>
  ({
    id,
    group: 'inserting',
    label,
    isEnabled: isEditable,
    run: (services) => {
      insertNew(services, newShape(shownArea(services.store.get()), kind, SHAPE_COLOR))
    },
  }) satisfies Action<Id>

export const INSERTING_ACTIONS = [
  { id: 'insertText', group: 'inserting', label: 'insertText', isEnabled: isEditable, run: insertText },
  shape('insertRectangle', 'insertRectangle', 'rect'),
  shape('insertEllipse', 'insertEllipse', 'ellipse'),
  shape('insertLine', 'insertLine', 'line'),
  {
    id: 'insertQr',
    group: 'inserting',
    label: 'insertQr',
    isEnabled: isEditable,
    run(services) {
      const layer = newQr(shownArea(services.store.get()), EXAMPLE_LINK)
      // The link is an example, so the customer types the own one in its place.
      if (insertNew(services, layer)) services.view.show('properties', { edits: layer.id })
    },
  },
  {
    id: 'insertImage',
    group: 'inserting',
    label: 'insertImage',
    isEnabled: isEditable,
    run: ({ view }) => view.show('images'),
  },
] as const satisfies readonly Action[]

/** Inserts a text whose words are selected, so that typing replaces them. */
function insertText(services: ActionServices): void {
  const { store, text } = services
  const layer = newText(shownArea(store.get()), text('yourText'))
  if (!insertNew(services, layer)) return
  store.set({ editing: { kind: 'text', layerId: layer.id, anchor: 0, focus: text('yourText').length } })
}

const zoom = <const Id extends string>(
  id: Id,
  label: EditorMessage,
  change: 'in' | 'out' | 'fit' | 'actual',
  ...shortcuts: string[]
) =>
  ({
    id,
    group: 'viewing',
    label,
    shortcuts,
    isEnabled: ({ view }) => view !== undefined,
    run: ({ host }) => host.zoom(change),
  }) satisfies Action<Id>

const side = <const Id extends string>(id: Id, label: EditorMessage, step: 1 | -1, shortcut: string) =>
  ({
    id,
    group: 'viewing',
    label,
    shortcuts: [shortcut],
    isEnabled: ({ product }) => product.printAreas.length > 1,
    run({ store, announce, text, sideName }) {
      const { product, printAreaId } = store.get()
      const { printAreas } = product
      const at = printAreas.findIndex(({ id }) => id === printAreaId)
      const next = printAreas[(at + step + printAreas.length) % printAreas.length]
      if (next === undefined) return
      store.show(next.id)
      announce(text('sideShown', { name: sideName(next) }))
    },
  }) satisfies Action<Id>

export const VIEWING_ACTIONS = [
  zoom('zoomIn', 'zoomIn', 'in', '+', '='),
  zoom('zoomOut', 'zoomOut', 'out', '-'),
  zoom('zoomFit', 'zoomFit', 'fit', '0'),
  zoom('zoomActual', 'zoomActual', 'actual', '1'),
  side('nextSide', 'nextSide', 1, 'Alt+PageDown'),
  side('previousSide', 'previousSide', -1, 'Alt+PageUp'),
  {
    id: 'crop',
    group: 'editing',
    label: 'crop',
    isEnabled: (state) => {
      const [layer, ...others] = selectedLayers(state)
      return state.isEditable && others.length === 0 && layer?.type === 'image' && layer.lock?.edit !== true
    },
    run({ store }) {
      const [layer] = selectedLayers(store.get())
      if (layer !== undefined) store.set({ editing: { kind: 'crop', layerId: layer.id } })
    },
  },
  {
    id: 'shortcuts',
    group: 'viewing',
    label: 'shortcuts',
    shortcuts: ['?', 'F1'],
    isEnabled: () => true,
    run: ({ view }) => view.open('shortcuts'),
  },
] as const satisfies readonly Action[]
