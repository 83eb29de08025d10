import type { DesignDocument, DesignDocumentInput } from './design-document.ts'
import { checkBox, type LayerFaultCode, type ReportFault } from './layer-definition.ts'
import { definitionOf, type LayerInput } from './layer-types.ts'
import { LENGTH_NOISE, roundLength } from './lengths.ts'
import { BOX_LENGTHS } from './normalize.ts'
import { contentOf } from './placeholders.ts'
import { DOCUMENT_LIMITS } from './schema/limits.ts'

export type DocumentProblemCode =
  | LayerFaultCode
  | 'duplicate_layer_id'
  | 'duplicate_print_area'
  | 'too_many_layers'
  | 'too_much_text'
  | 'too_much_path_data'
  | 'too_many_dashes'

/** A fault in a document. `pointer` is a JSON Pointer (RFC 6901) from the root of the document. */
export interface DocumentProblem {
  code: DocumentProblemCode
  pointer: string
  detail: string
}

/**
 * Checks what the schema cannot express: unique ids, totals, fields that depend on each other, and numbers such as NaN,
 * which only a caller in the same process can send. `checkDashes` makes the one check that must read paths. Takes a
 * document that is valid against the schema; never throws.
 */
export function checkDocument(document: DesignDocumentInput | DesignDocument): DocumentProblem[] {
  const problems: DocumentProblem[] = []
  const report = (code: DocumentProblemCode, pointer: string, detail: string) => {
    problems.push({ code, pointer, detail })
  }
  const areas = new Set<string>()
  const ids = new Set<string>()
  let layerCount = 0
  let textLength = 0
  const paths: Share[] = []
  for (const [p, { printAreaId, layers }] of document.placements.entries()) {
    if (areas.has(printAreaId)) {
      report('duplicate_print_area', `/placements/${p}/printAreaId`, `Print area ${printAreaId} has two placements.`)
    }
    areas.add(printAreaId)
    layerCount += layers.length
    for (const [l, layer] of layers.entries()) {
      const pointer = `/placements/${p}/layers/${l}`
      if (ids.has(layer.id)) report('duplicate_layer_id', `${pointer}/id`, `Two layers have the id ${layer.id}.`)
      ids.add(layer.id)
      textLength += contentOf(layer).length
      paths.push({ amount: definitionOf(layer).pathLength?.(layer) ?? 0, pointer: `${pointer}/path` })
      checkLayer(layer, (code, at, detail) => report(code, pointer + at, detail))
    }
  }
  const { layers, totalTextLength, totalPathLength } = DOCUMENT_LIMITS
  if (layerCount > layers) {
    report('too_many_layers', '/placements', `The document has ${layerCount} layers; at most ${layers} are allowed.`)
  }
  if (textLength > totalTextLength) {
    const detail = `The texts and QR codes have ${textLength} characters together; at most ${totalTextLength} are allowed.`
    report('too_much_text', '/placements', detail)
  }
  const excess = findExcess(paths, totalPathLength)
  if (excess !== undefined) {
    const detail = `The paths have ${excess.total} characters together; at most ${totalPathLength} are allowed.`
    report('too_much_path_data', excess.pointer, detail)
  }
  return problems
}

/** Checks the numbers, the box and the dependent fields of one layer, without the rest of the document. */
export function checkLayer(layer: LayerInput, report: ReportFault): void {
  const { lengths = [], checkFields } = definitionOf(layer)
  checkNumbers(layer, { path: '', pointer: '', lengths: new Set([...BOX_LENGTHS, ...lengths]) }, report)
  if (checkFields === undefined) checkBox(layer, layer.type, report)
  else checkFields(layer, report)
}

interface Place {
  /** The path of the value within the layer, in the form of `LayerDefinition.lengths`. */
  path: string
  pointer: string
  lengths: ReadonlySet<string>
}

function checkNumbers(value: unknown, { path, pointer, lengths }: Place, report: ReportFault): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      const innerPath = Array.isArray(value) ? path : `${path}${path && '/'}${key}`
      checkNumbers(inner, { path: innerPath, pointer: `${pointer}/${key}`, lengths }, report)
    }
    return
  }
  if (typeof value !== 'number') return
  if (!Number.isFinite(value)) report('number_not_finite', pointer, 'Must be a finite number.')
  else if (lengths.has(path) && Math.abs(roundLength(value) - value) > LENGTH_NOISE) {
    report('too_many_decimals', pointer, 'Lengths have at most 3 decimals.')
  }
}

/** Tells whether a document has strokes whose dashes `checkDashes` must count. */
export function hasDashes({ placements }: DesignDocument): boolean {
  return placements.some(({ layers }) => layers.some((layer) => definitionOf(layer).hasDashes?.(layer) === true))
}

/** The contribution of one layer to a total, with the JSON Pointer of the value that a client has to reduce. */
interface Share {
  amount: number
  pointer: string
}

/** Compares a total with its limit. Above the limit, the result names the largest share as the one to change. */
export function findExcess(shares: readonly Share[], limit: number): { total: number; pointer: string } | undefined {
  const total = shares.reduce((sum, { amount }) => sum + amount, 0)
  if (total <= limit) return undefined
  return { total, pointer: shares.reduce((most, share) => (share.amount > most.amount ? share : most)).pointer }
}
