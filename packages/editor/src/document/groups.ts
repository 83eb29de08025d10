import type { DesignDocument } from '@platen/drawing'
import { changeLayers, type EditorLayer, layersOf } from './layers.ts'

/** Returns the ids of the given layers and of all layers in their groups, bottom to top. */
export function withGroups(layers: readonly EditorLayer[], layerIds: readonly string[]): string[] {
  const groups = new Set(layers.filter(({ id }) => layerIds.includes(id)).map(({ group }) => group))
  groups.delete(undefined)
  return layers
    .filter(({ id, group }) => layerIds.includes(id) || (group !== undefined && groups.has(group)))
    .map(({ id }) => id)
}

/** Makes one group of layers, and places them directly below the topmost of them. */
export function groupLayers(
  document: DesignDocument,
  printAreaId: string,
  layerIds: readonly string[],
  group: string,
): DesignDocument {
  const layers = layersOf(document, printAreaId)
  const members = layers.filter(({ id }) => layerIds.includes(id))
  if (members.length < 2) return document
  const top = layers.findLastIndex(({ id }) => layerIds.includes(id))
  const below = layers.slice(0, top + 1).filter(({ id }) => !layerIds.includes(id))
  const ordered = [...below, ...members.map((layer) => ({ ...layer, group })), ...layers.slice(top + 1)]
  return {
    ...document,
    placements: document.placements.map((placement) =>
      placement.printAreaId === printAreaId ? { ...placement, layers: ordered } : placement,
    ),
  }
}

/** Ends the groups of layers. The layers keep their places. */
export function ungroupLayers(document: DesignDocument, layerIds: readonly string[]): DesignDocument {
  return changeLayers(document, layerIds, (layer) => {
    if (layer.group === undefined) return layer
    const { group: _, ...alone } = layer
    return alone as EditorLayer
  })
}
