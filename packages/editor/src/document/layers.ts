import type { DesignDocument, Layer, Placement } from '@platen/drawing'

/** A layer with the notes of the editor: `name`, `group`, `hiddenOpacity` and `lock`. They change nothing of the drawing. */
export type EditorLayer = Layer

const NONE: readonly EditorLayer[] = []

/** Returns the layers of a print area, bottom to top. */
export function layersOf(document: DesignDocument, printAreaId: string): readonly EditorLayer[] {
  return document.placements.find((placement) => placement.printAreaId === printAreaId)?.layers ?? NONE
}

export interface FoundLayer {
  layer: EditorLayer
  printAreaId: string
  /** The place among the layers of the print area, from the bottom. */
  index: number
}

export function findLayer(document: DesignDocument, layerId: string): FoundLayer | undefined {
  for (const { printAreaId, layers } of document.placements) {
    const index = layers.findIndex(({ id }) => id === layerId)
    const layer = layers[index]
    if (layer !== undefined) return { layer, printAreaId, index }
  }
  return undefined
}

/** Replaces layers. Layers for which `change` returns the same object stay, and so do documents without a change. */
export function changeLayers(
  document: DesignDocument,
  layerIds: readonly string[],
  change: (layer: EditorLayer) => EditorLayer,
): DesignDocument {
  return mapPlacements(document, (layers) =>
    mapChanged(layers, (layer) => (layerIds.includes(layer.id) ? change(layer) : layer)),
  )
}

export function addLayers(
  document: DesignDocument,
  printAreaId: string,
  added: readonly EditorLayer[],
  index?: number,
): DesignDocument {
  const known = document.placements.some((placement) => placement.printAreaId === printAreaId)
  const placements = known ? document.placements : [...document.placements, { printAreaId, layers: [] }]
  return {
    ...document,
    placements: placements.map((placement) => {
      if (placement.printAreaId !== printAreaId) return placement
      return { ...placement, layers: placement.layers.toSpliced(index ?? placement.layers.length, 0, ...added) }
    }),
  }
}

export function removeLayers(document: DesignDocument, layerIds: readonly string[]): DesignDocument {
  return mapPlacements(document, (layers) => {
    const kept = layers.filter(({ id }) => !layerIds.includes(id))
    return kept.length === layers.length ? layers : kept
  })
}

export type OrderChange = 'front' | 'forward' | 'backward' | 'back'

/** Moves layers in front of or behind others. The moved layers keep their order. */
export function reorderLayers(
  document: DesignDocument,
  layerIds: readonly string[],
  change: OrderChange,
): DesignDocument {
  return mapPlacements(document, (layers) => unlessSame(layers, reorder(layers, layerIds, change)))
}

/** Moves layers so that the lowest of them has the given place among the other layers of its print area. */
export function placeLayers(document: DesignDocument, layerIds: readonly string[], index: number): DesignDocument {
  return mapPlacements(document, (layers) => {
    const moved = layers.filter(({ id }) => layerIds.includes(id))
    if (moved.length === 0) return layers
    const others = layers.filter(({ id }) => !layerIds.includes(id))
    return unlessSame(layers, others.toSpliced(index, 0, ...moved))
  })
}

/** Creates an id that the document does not have. */
export function newLayerId(): string {
  return crypto.randomUUID()
}

function reorder(layers: EditorLayer[], layerIds: readonly string[], change: OrderChange): EditorLayer[] {
  const isMoved = ({ id }: EditorLayer): boolean => layerIds.includes(id)
  if (!layers.some(isMoved)) return layers
  const moved = layers.filter(isMoved)
  const others = layers.filter((layer) => !isMoved(layer))
  if (change === 'front') return [...others, ...moved]
  if (change === 'back') return [...moved, ...others]
  return change === 'forward' ? stepUp(layers, isMoved) : stepUp(layers.toReversed(), isMoved).reverse()
}

/** Swaps each moved layer with the one above it, unless that one moves, too. */
function stepUp(layers: EditorLayer[], isMoved: (layer: EditorLayer) => boolean): EditorLayer[] {
  const result = [...layers]
  for (let i = result.length - 2; i >= 0; i--) {
    const [layer, above] = [result[i], result[i + 1]]
    if (layer === undefined || above === undefined || !isMoved(layer) || isMoved(above)) continue
    result[i] = above
    result[i + 1] = layer
  }
  return result
}

function mapPlacements(document: DesignDocument, change: (layers: EditorLayer[]) => EditorLayer[]): DesignDocument {
  const placements = mapChanged(document.placements, (placement): Placement => {
    const layers = change(placement.layers)
    return layers === placement.layers ? placement : { ...placement, layers }
  })
  return placements === document.placements ? document : { ...document, placements }
}

function unlessSame(before: EditorLayer[], after: EditorLayer[]): EditorLayer[] {
  return after.every((layer, i) => layer === before[i]) ? before : after
}

/** Maps an array. Returns the same array if no element changes, so that views see what has not changed. */
function mapChanged<Element>(array: Element[], change: (element: Element) => Element): Element[] {
  const mapped = array.map(change)
  return mapped.every((element, i) => element === array[i]) ? array : mapped
}
