import type { DesignDocument } from '@platen/drawing'
import { type EditorLayer, newLayerId } from '../../document/layers.ts'
import { mergeLayer, type PlacedLayer } from './merge-layer.ts'
import { mergeOrder } from './merge-order.ts'
import type { ConflictChoice, LayerConflict, LayerNotice, MergedDocument } from './merge-types.ts'
import { sameValue } from './same-value.ts'

export interface MergeOptions {
  /** By id of the layer. `mine` for other conflicts. */
  choices?: ReadonlyMap<string, ConflictChoice> | undefined
  /** Creates the ids of copies. */
  newId?: (() => string) | undefined
}

/**
 * Merges two changes of a document: layers by their ids, fields by their names, and the order.
 *
 * - A layer that one side deleted and the other did not change is deleted. If the other changed it, it stays, with a
 *   notice.
 * - A field that both sides changed in different ways is a conflict.
 * - Without conflicts, the sides can be exchanged.
 *
 * @param base the document from which both sides started
 */
export function mergeDocuments(
  base: DesignDocument,
  mine: DesignDocument,
  theirs: DesignDocument,
  { choices = new Map(), newId = newLayerId }: MergeOptions = {},
): MergedDocument {
  const documents = { base, mine, theirs }
  const { merged, conflicts, notices } = mergeLayers(documents, choices)
  const arranged = arrange(documents, merged)
  const placements = arranged.placements.map(({ printAreaId, ids }) => ({
    printAreaId,
    layers: ids.flatMap((id) => {
      const layer = merged.get(id)?.layer
      const conflict = choices.get(id) === 'both' ? conflicts.find((one) => one.id === id) : undefined
      if (layer === undefined) return []
      return conflict === undefined ? [layer] : [layer, copyOf(conflict.theirs, layer, newId())]
    }),
  }))
  const document = { ...mine, placements }
  const { hasKeptOrder } = arranged
  return { document: sameValue(document, mine) ? mine : document, conflicts, notices, hasKeptOrder }
}

interface Documents {
  base: DesignDocument
  mine: DesignDocument
  theirs: DesignDocument
}

interface MergedLayers {
  merged: ReadonlyMap<string, PlacedLayer>
  conflicts: readonly LayerConflict[]
  notices: readonly LayerNotice[]
}

function mergeLayers(documents: Documents, choices: ReadonlyMap<string, ConflictChoice>): MergedLayers {
  const layers = { base: layersOf(documents.base), mine: layersOf(documents.mine), theirs: layersOf(documents.theirs) }
  const merged = new Map<string, PlacedLayer>()
  const conflicts: LayerConflict[] = []
  const notices: LayerNotice[] = []
  for (const id of new Set([...layers.mine.keys(), ...layers.theirs.keys()])) {
    const [base, mine, theirs] = [layers.base.get(id), layers.mine.get(id), layers.theirs.get(id)]
    if (mine !== undefined && theirs !== undefined) {
      const result = mergeLayer({ base, mine, theirs }, choices.get(id) === 'theirs' ? 'theirs' : 'mine')
      merged.set(id, result.placed)
      const { conflicts: fields } = result
      if (fields.length > 0) conflicts.push({ kind: 'layer', id, fields, mine: mine.layer, theirs: theirs.layer })
      continue
    }
    const only = mine ?? theirs
    if (only === undefined || (base !== undefined && sameValue(only, base))) continue
    merged.set(id, only)
    if (base === undefined) continue
    notices.push({ kind: mine === undefined ? 'deleted_here' : 'deleted_there', layer: only.layer })
  }
  return { merged, conflicts, notices }
}

interface Arrangement {
  placements: readonly { printAreaId: string; ids: readonly string[] }[]
  hasKeptOrder: boolean
}

/** Orders the print areas, and the layers of each. */
function arrange(documents: Documents, merged: ReadonlyMap<string, PlacedLayer>): Arrangement {
  const areas = { base: areasOf(documents.base), mine: areasOf(documents.mine), theirs: areasOf(documents.theirs) }
  const used = new Set([...merged.values()].map(({ printAreaId }) => printAreaId))
  const isKept = (id: string): boolean =>
    used.has(id) || (areas.mine.includes(id) && areas.theirs.includes(id)) || !areas.base.includes(id)
  const kept = new Set([...areas.mine, ...areas.theirs].filter(isKept))
  let hasKeptOrder = false
  const placements = mergeOrder(areas, kept).ids.map((printAreaId) => {
    const own = [...merged].filter(([, placed]) => placed.printAreaId === printAreaId).map(([id]) => id)
    const { base, mine, theirs } = documents
    const orders = {
      base: idsOf(base, printAreaId),
      mine: idsOf(mine, printAreaId),
      theirs: idsOf(theirs, printAreaId),
    }
    const order = mergeOrder(orders, new Set(own))
    hasKeptOrder ||= order.hasKeptOrder
    return { printAreaId, ids: order.ids }
  })
  return { placements, hasKeptOrder }
}

function layersOf({ placements }: DesignDocument): ReadonlyMap<string, PlacedLayer> {
  return new Map(
    placements.flatMap(({ printAreaId, layers }) =>
      layers.map((layer): [string, PlacedLayer] => [layer.id, { printAreaId, layer }]),
    ),
  )
}

const areasOf = ({ placements }: DesignDocument): string[] => placements.map(({ printAreaId }) => printAreaId)

function idsOf({ placements }: DesignDocument, printAreaId: string): string[] {
  const layers = placements.find((placement) => placement.printAreaId === printAreaId)?.layers ?? []
  return layers.map(({ id }) => id)
}

/** How far a copy is from a layer in the same place, so that both can be seen. */
const COPY_OFFSET_MM = 3

/** The copy is a layer of the customer, so it has no lock of a template. */
function copyOf({ lock: _, ...layer }: EditorLayer, own: EditorLayer, id: string): EditorLayer {
  const isHidden = layer.x === own.x && layer.y === own.y
  return isHidden ? { ...layer, id, x: layer.x + COPY_OFFSET_MM, y: layer.y + COPY_OFFSET_MM } : { ...layer, id }
}
