import {
  checkDocument,
  type DesignDocument,
  DOCUMENT_LIMITS,
  type DocumentProblemCode,
  type PrintArea,
} from '@platen/drawing'
import { roundMm } from '../document/geometry/lengths.ts'
import { addLayers, type EditorLayer, layersOf, newLayerId } from '../document/layers.ts'
import { placeFree } from '../document/place-free.ts'
import type { EditorState } from '../state/editor-state.ts'
import type { EditorServices } from '../state/use-editor.ts'
import { describeLayers, withOwnNames } from './layer-name.ts'

export function shownArea({ product, printAreaId }: EditorState): PrintArea {
  const area = product.printAreas.find(({ id }) => id === printAreaId) ?? product.printAreas[0]
  if (area === undefined) throw new Error('A product has at least one print area')
  return area
}

/** Adds a new layer where it covers no other, if there is room, and selects it. */
export function insertNew(services: EditorServices, layer: EditorLayer): boolean {
  const state = services.store.get()
  return insertLayers(services, [placeFree(layer, shownArea(state), layersOf(state.document, state.printAreaId))])
}

/** Adds layers on top of the shown print area, and selects them. Tells the customer what happened. */
export function insertLayers(services: EditorServices, inserted: readonly EditorLayer[], index?: number): boolean {
  const { store, announce, refuse, text } = services
  const { document, printAreaId, isEditable } = store.get()
  if (!isEditable) return false
  const layers = withOwnNames(document, inserted, text)
  const problems = newProblems(document, addLayers(document, printAreaId, layers, index))
  if (problems.length > 0) {
    const isTooMany = problems.includes('too_many_layers')
    refuse(isTooMany ? text('tooManyLayers', { limit: DOCUMENT_LIMITS.layers }) : text('cannotInsert'))
    return false
  }
  const select = layers.map(({ id }) => id)
  store.edit((present) => addLayers(present, printAreaId, layers, index), { select })
  announce(text('inserted', { name: describeLayers(layers, text) }))
  return true
}

/** Returns the kinds of problems of a document that has more of them after a change. The service would not save it. */
function newProblems(before: DesignDocument, after: DesignDocument): DocumentProblemCode[] {
  const problems = checkDocument(after)
  const isWorse = problems.length > 0 && problems.length > checkDocument(before).length
  return isWorse ? problems.map(({ code }) => code) : []
}

const STEP_MM = 5

/**
 * Copies layers for a print area with new ids and groups. The copies keep their places, moved a little for as long as
 * other layers lie exactly there.
 */
export function copiesFor(state: EditorState, layers: readonly EditorLayer[]): EditorLayer[] {
  const taken = new Set(layersOf(state.document, state.printAreaId).map(placeOf))
  const groups = new Map<string, string>()
  let offset = 0
  const at = (layer: EditorLayer) => ({ ...layer, x: roundMm(layer.x + offset), y: roundMm(layer.y + offset) })
  while (layers.some((layer) => taken.has(placeOf(at(layer))))) offset += STEP_MM
  return layers.map((layer) => {
    const { lock: _, ...copy } = at(layer)
    const { group } = layer
    if (group !== undefined && !groups.has(group)) groups.set(group, newLayerId())
    const own = group === undefined ? undefined : groups.get(group)
    return { ...copy, id: newLayerId(), ...(own === undefined ? {} : { group: own }) } as EditorLayer
  })
}

function placeOf({ type, x, y }: EditorLayer): string {
  return `${type} ${x} ${y}`
}
