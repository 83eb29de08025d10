import type { DesignDocument, DesignDocumentInput } from './design-document.ts'
import { definitionOf, type Layer, type LayerInput } from './layer-types.ts'
import { cleanLength } from './lengths.ts'

/**
 * Fills the defaults of a valid document and removes float noise from its lengths. Schema validators do not apply
 * defaults inside `oneOf`, so this function does. The function is pure and idempotent. The service stores its result.
 */
export function normalizeDocument(document: DesignDocumentInput | DesignDocument): DesignDocument {
  return {
    version: 1,
    placements: document.placements.map(({ printAreaId, layers }) => ({
      printAreaId,
      layers: layers.map(normalizeLayer),
    })),
  }
}

export function normalizeLayer(layer: LayerInput): Layer {
  const { fields, defaults, lengths = [] } = definitionOf(layer)
  const given: Readonly<Record<string, unknown>> = layer
  const paths = new Set([...BOX_LENGTHS, ...lengths])
  const filled = [...COMMON_FIELDS, ...fields].flatMap((key) => {
    const value = given[key] ?? defaults[key]
    return value === undefined ? [] : [[key, cleaned(value, key, paths)]]
  })
  return { id: layer.id, type: layer.type, ...Object.fromEntries(filled) }
}

/** The fields in millimetres that every layer has. */
export const BOX_LENGTHS = ['x', 'y', 'width', 'height']

/** The fields that every layer has besides its id and its type, in the order of the schemas. */
const COMMON_FIELDS = [...BOX_LENGTHS, 'rotation', 'opacity', 'lock', 'name', 'group', 'hiddenOpacity']

/** Copies a value and removes float noise from the lengths in it. The items of an array have the path of the array. */
function cleaned(value: unknown, path: string, lengths: ReadonlySet<string>): unknown {
  if (typeof value === 'number') return lengths.has(path) ? cleanLength(value) : value
  if (Array.isArray(value)) return value.map((item) => cleaned(item, path, lengths))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cleaned(inner, `${path}/${key}`, lengths)]),
  )
}
