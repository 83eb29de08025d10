import { groupLayers, ungroupLayers, withGroups } from '../../document/groups.ts'
import {
  changeLayers,
  type EditorLayer,
  layersOf,
  newLayerId,
  type OrderChange,
  reorderLayers,
} from '../../document/layers.ts'
import { isHidden, withVisibility } from '../../document/visibility.ts'
import type { EditorMessage } from '../../messages.ts'
import { type Action, type ActionServices, hasSelection } from '../action.ts'
import { describeLayers } from '../layer-name.ts'
import { allows, bindsLocks, changeableLayers, selectedLayers } from '../refusal.ts'

const order = <const Id extends string>(id: Id, label: EditorMessage, change: OrderChange, ...shortcuts: string[]) =>
  ({
    id,
    group: 'layers',
    label,
    shortcuts,
    isEnabled: hasSelection,
    run: (services) => moveInOrder(services, change),
  }) satisfies Action<Id>

function moveInOrder(services: ActionServices, change: OrderChange): void {
  const { store, announce, text } = services
  const ids = changeableLayers(services, 'move').map(({ id }) => id)
  if (ids.length === 0) return
  store.edit((document) => reorderLayers(document, ids, change))
  const { document, printAreaId } = store.get()
  const layers = layersOf(document, printAreaId)
  const position = layers.length - layers.findLastIndex(({ id }) => ids.includes(id))
  announce(text('orderedTo', { position, count: layers.length }))
}

export const LAYER_ACTIONS = [
  order('front', 'toFront', 'front', 'Mod+Shift+]', 'Shift+PageUp'),
  order('forward', 'forward', 'forward', 'Mod+]', 'PageUp'),
  order('backward', 'backward', 'backward', 'Mod+[', 'PageDown'),
  order('back', 'toBack', 'back', 'Mod+Shift+[', 'Shift+PageDown'),
  {
    id: 'group',
    group: 'layers',
    label: 'group',
    shortcuts: ['Mod+G'],
    isEnabled: (state) => hasSelection(state) && state.selection.length > 1,
    run(services) {
      const { store, announce, text } = services
      const { printAreaId } = store.get()
      // The group is a part of the style, and grouping moves layers together in the order.
      const layers = changeableLayers(services, 'move').filter((layer) => allows(layer, 'style'))
      if (layers.length < 2) return
      const group = newLayerId()
      const ids = layers.map(({ id }) => id)
      store.edit((document) => groupLayers(document, printAreaId, ids, group))
      announce(text('grouped', { count: ids.length }))
    },
  },
  {
    id: 'ungroup',
    group: 'layers',
    label: 'ungroup',
    shortcuts: ['Mod+Shift+G'],
    isEnabled: (state) => hasSelection(state) && selectedLayers(state).some(({ group }) => group !== undefined),
    run(services) {
      const { store, announce, text } = services
      if (changeableLayers(services, 'style').length === 0) return
      const { document, printAreaId, selection } = store.get()
      const layers = layersOf(document, printAreaId).filter((layer) => allows(layer, 'style'))
      const ids = withGroups(layers, selection)
      store.edit((present) => ungroupLayers(present, ids))
      announce(text('ungrouped'))
    },
  },
  {
    id: 'lock',
    group: 'layers',
    label: 'lockOrUnlock',
    shortcuts: ['Mod+Shift+L'],
    isEnabled: (state) => hasSelection(state) && !bindsLocks(state.design),
    run: (services) => toggleLock(services, selectedLayers(services.store.get())),
  },
  {
    id: 'hide',
    group: 'layers',
    label: 'hideOrShow',
    shortcuts: ['Mod+Shift+H'],
    isEnabled: hasSelection,
    run: (services) => toggleVisibility(services, selectedLayers(services.store.get())),
  },
] as const satisfies readonly Action[]

const LOCKED = { move: true, edit: true, style: true, remove: true }

export function isLocked({ lock }: EditorLayer): boolean {
  return Object.values(lock ?? {}).includes(true)
}

/** Clears the locks of layers if all of them are locked, and locks them otherwise. */
export function toggleLock({ store, announce, text }: ActionServices, layers: readonly EditorLayer[]): void {
  if (bindsLocks(store.get().design)) {
    announce(text('lockedByTemplate'))
    return
  }
  const locks = !layers.every(isLocked)
  const ids = layers.map(({ id }) => id)
  const change = (layer: EditorLayer): EditorLayer => {
    if (locks) return { ...layer, lock: LOCKED }
    const { lock: _, ...free } = layer
    return free as EditorLayer
  }
  store.edit((document) => changeLayers(document, ids, change))
  announce(text(locks ? 'locked' : 'unlocked', { name: describeLayers(layers, text) }))
}

/** Shows layers if all of them are hidden, and hides them otherwise. Hiding is a change of style. */
export function toggleVisibility({ store, announce, text }: ActionServices, layers: readonly EditorLayer[]): void {
  const changed = layers.filter((layer) => allows(layer, 'style'))
  if (changed.length === 0) {
    announce(text('refusedStyle', { name: describeLayers(layers, text) }))
    return
  }
  const shows = changed.every(isHidden)
  const ids = changed.map(({ id }) => id)
  store.edit((document) => changeLayers(document, ids, (layer) => withVisibility(layer, shows)))
  announce(text(shows ? 'shown' : 'hidden', { name: describeLayers(changed, text) }))
}
