import {
  type Alignment,
  type Axis,
  alignLayers,
  canDistribute,
  distributeLayers,
  moveLayers,
  rotateLayers,
} from '../../document/arrange.ts'
import { boundsOfAll } from '../../document/geometry/boxes.ts'
import { changeLayers, type EditorLayer } from '../../document/layers.ts'
import { trimOf } from '../../document/new-layers.ts'
import type { EditorMessage } from '../../messages.ts'
import type { EditorState } from '../../state/editor-state.ts'
import { type Action, hasSelection } from '../action.ts'
import { shownArea } from '../insert.ts'
import { changeableLayers, selectedLayers } from '../refusal.ts'

const align = <const Id extends string>(id: Id, label: EditorMessage, alignment: Alignment, shortcut: string) =>
  ({
    id,
    group: 'arranging',
    label,
    shortcuts: [shortcut],
    isEnabled: hasSelection,
    run(services) {
      const layers = changeableLayers(services, 'move')
      if (layers.length === 0) return
      const trim = trimOf(shownArea(services.store.get()))
      services.store.edit((document) => alignLayers(document, layers, alignment, trim))
      services.announce(services.text('aligned', { what: services.text(label) }))
    },
  }) satisfies Action<Id>

const distribute = <const Id extends string>(id: Id, label: EditorMessage, axis: Axis) =>
  ({
    id,
    group: 'arranging',
    label,
    isEnabled: (state: EditorState) => hasSelection(state) && canDistribute(selectedLayers(state)),
    run(services) {
      const layers = changeableLayers(services, 'move')
      services.store.edit((document) => distributeLayers(document, layers, axis))
      services.announce(services.text('aligned', { what: services.text(label) }))
    },
  }) satisfies Action<Id>

const flip = <const Id extends string>(id: Id, label: EditorMessage, field: 'flipX' | 'flipY', shortcut: string) =>
  ({
    id,
    group: 'arranging',
    label,
    shortcuts: [shortcut],
    isEnabled: (state: EditorState) =>
      hasSelection(state) && selectedLayers(state).some((layer) => layer.type === 'image'),
    run(services) {
      const ids = changeableLayers(services, 'style').map(({ id }) => id)
      const flipped = (layer: EditorLayer): EditorLayer =>
        layer.type === 'image' ? { ...layer, [field]: !layer[field] } : layer
      services.store.edit((document) => changeLayers(document, ids, flipped))
      services.announce(services.text('aligned', { what: services.text(label) }))
    },
  }) satisfies Action<Id>

const rotate = <const Id extends string>(id: Id, label: EditorMessage, degrees: number, shortcut: string) =>
  ({
    id,
    group: 'arranging',
    label,
    shortcuts: [shortcut],
    isForStage: true,
    isEnabled: hasSelection,
    run(services) {
      const layers = changeableLayers(services, 'move')
      const [first] = layers
      if (first === undefined) return
      services.store.edit((document) => rotateLayers(document, layers, degrees), {
        mergeKey: `rotate ${idsOf(layers)}`,
      })
      const angle = selectedLayers(services.store.get()).find((layer) => layer.id === first.id)?.rotation ?? 0
      services.announce(services.text('rotatedTo', { degrees: Math.round(angle * 10) / 10 }))
    },
  }) satisfies Action<Id>

const nudge = <const Id extends string>(id: Id, label: EditorMessage, shortcut: string, x: number, y: number) =>
  ({
    id,
    group: 'arranging',
    label,
    shortcuts: [shortcut],
    isForStage: true,
    isEnabled: hasSelection,
    run(services) {
      const layers = changeableLayers(services, 'move')
      if (layers.length === 0) return
      const ids = layers.map(({ id }) => id)
      services.store.edit((document) => moveLayers(document, ids, { x, y }), { mergeKey: `nudge ${idsOf(layers)}` })
      const moved = selectedLayers(services.store.get()).filter((layer) => ids.includes(layer.id))
      const bounds = boundsOfAll(moved)
      services.announce(services.text('movedTo', { x: tenths(bounds.x), y: tenths(bounds.y) }))
    },
  }) satisfies Action<Id>

const idsOf = (layers: readonly EditorLayer[]): string => layers.map(({ id }) => id).join(' ')

function tenths(mm: number): number {
  return Math.round(mm * 10) / 10 + 0
}

const fillSide = {
  id: 'fillSide',
  group: 'arranging',
  label: 'fillSide',
  isEnabled: (state: EditorState) =>
    hasSelection(state) && selectedLayers(state).every((layer) => layer.type === 'image'),
  run(services) {
    const ids = changeableLayers(services, 'move').map(({ id }) => id)
    const area = shownArea(services.store.get())
    if (area === undefined || ids.length === 0) return
    const { widthMm, heightMm, bleedMm } = area
    const box = { x: -bleedMm, y: -bleedMm, width: widthMm + 2 * bleedMm, height: heightMm + 2 * bleedMm, rotation: 0 }
    services.store.edit((document) => changeLayers(document, ids, (layer) => ({ ...layer, ...box })))
    services.announce(services.text('aligned', { what: services.text('fillSide') }))
  },
} satisfies Action<'fillSide'>

export const ARRANGING_ACTIONS = [
  fillSide,
  align('alignLeft', 'alignLeft', 'left', 'Alt+A'),
  align('alignCenter', 'alignCenter', 'center', 'Alt+H'),
  align('alignRight', 'alignRight', 'right', 'Alt+D'),
  align('alignTop', 'alignTop', 'top', 'Alt+W'),
  align('alignMiddle', 'alignMiddle', 'middle', 'Alt+V'),
  align('alignBottom', 'alignBottom', 'bottom', 'Alt+S'),
  distribute('distributeHorizontally', 'distributeHorizontally', 'horizontal'),
  distribute('distributeVertically', 'distributeVertically', 'vertical'),
  flip('flipHorizontally', 'flipHorizontally', 'flipX', 'Shift+H'),
  flip('flipVertically', 'flipVertically', 'flipY', 'Shift+V'),
  rotate('rotateRight', 'rotateRight', 15, 'Mod+ArrowRight'),
  rotate('rotateLeft', 'rotateLeft', -15, 'Mod+ArrowLeft'),
  rotate('rotateQuarterRight', 'rotateQuarterRight', 90, 'Mod+Shift+ArrowRight'),
  rotate('rotateQuarterLeft', 'rotateQuarterLeft', -90, 'Mod+Shift+ArrowLeft'),
  nudge('nudgeLeft', 'nudgeLeft', 'ArrowLeft', -1, 0),
  nudge('nudgeRight', 'nudgeRight', 'ArrowRight', 1, 0),
  nudge('nudgeUp', 'nudgeUp', 'ArrowUp', 0, -1),
  nudge('nudgeDown', 'nudgeDown', 'ArrowDown', 0, 1),
  nudge('nudgeLeftFar', 'nudgeLeftFar', 'Shift+ArrowLeft', -10, 0),
  nudge('nudgeRightFar', 'nudgeRightFar', 'Shift+ArrowRight', 10, 0),
  nudge('nudgeUpFar', 'nudgeUpFar', 'Shift+ArrowUp', 0, -10),
  nudge('nudgeDownFar', 'nudgeDownFar', 'Shift+ArrowDown', 0, 10),
  nudge('nudgeLeftFine', 'nudgeLeftFine', 'Alt+ArrowLeft', -0.1, 0),
  nudge('nudgeRightFine', 'nudgeRightFine', 'Alt+ArrowRight', 0.1, 0),
  nudge('nudgeUpFine', 'nudgeUpFine', 'Alt+ArrowUp', 0, -0.1),
  nudge('nudgeDownFine', 'nudgeDownFine', 'Alt+ArrowDown', 0, 0.1),
] as const
