import type { LockName } from '@platen/drawing'
import { type EditorLayer, layersOf } from '../document/layers.ts'
import type { DesignInfo, EditorState } from '../state/editor-state.ts'
import type { EditorServices } from '../state/use-editor.ts'
import { describeLayers } from './layer-name.ts'

export type Facet = LockName

export function allows(layer: EditorLayer, facet: Facet): boolean {
  return layer.lock?.[facet] !== true
}

/** Tells whether the locks come from a template, so that the owner of the design cannot clear them. */
export function bindsLocks({ templateId }: DesignInfo): boolean {
  return typeof templateId === 'string'
}

/** Tells whether a layer may get another name. In a template, names belong to the look that it protects. */
export function canRename(layer: EditorLayer, design: DesignInfo): boolean {
  return allows(layer, 'style') || !bindsLocks(design)
}

export function selectedLayers({ document, printAreaId, selection }: EditorState): readonly EditorLayer[] {
  return layersOf(document, printAreaId).filter(({ id }) => selection.includes(id))
}

/** Returns the selected layers that allow a change. Announces the others. */
export function changeableLayers(services: EditorServices, facet: Facet): readonly EditorLayer[] {
  const layers = selectedLayers(services.store.get())
  const refused = layers.filter((layer) => !allows(layer, facet))
  if (refused.length > 0) announceRefusal(services, refused, facet)
  return layers.filter((layer) => allows(layer, facet))
}

function announceRefusal({ announce, text }: EditorServices, layers: readonly EditorLayer[], facet: Facet): void {
  announce(text(REFUSALS[facet], { name: describeLayers(layers, text) }))
}

const REFUSALS = {
  move: 'refusedMove',
  edit: 'refusedEdit',
  style: 'refusedStyle',
  remove: 'refusedRemove',
} as const
