import {
  type Crop,
  type DesignDocument,
  type DesignDocumentInput,
  DOCUMENT_LIMITS,
  type LayerInput,
  type Stroke,
} from './design-document.ts'
import { LENGTH_NOISE, roundLength } from './normalize.ts'

export type DocumentProblemCode =
  | 'duplicate_layer_id'
  | 'duplicate_print_area'
  | 'too_many_layers'
  | 'too_much_text'
  | 'too_much_path_data'
  | 'number_not_finite'
  | 'too_many_decimals'
  | 'size_not_positive'
  | 'crop_outside_image'
  | 'dash_without_length'
  | 'too_many_dashes'

/** A fault in a document. `pointer` is a JSON Pointer (RFC 6901) from the document's root. */
export interface DocumentProblem {
  code: DocumentProblemCode
  pointer: string
  detail: string
}

/**
 * What the schema cannot say about a document: uniqueness, totals, fields that depend on each other, and numbers that
 * JSON cannot hold but a caller in process can pass. `checkDashes` does the part that has to read paths. Takes a document
 * that is valid against the schema; never throws.
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
      if (layer.type === 'text') textLength += layer.text.length
      if (layer.type === 'qr') textLength += layer.value.length
      if (layer.type === 'shape') paths.push({ amount: layer.path?.length ?? 0, pointer: `${pointer}/path` })
      checkNumbers(layer, pointer, report)
      checkSizes(layer, pointer, report)
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

type Report = (code: DocumentProblemCode, pointer: string, detail: string) => void

/** Whether a document has strokes for `checkDashes` to count. */
export function hasDashes({ placements }: DesignDocument): boolean {
  return placements.some(({ layers }) =>
    layers.some((layer) => layer.type === 'shape' && layer.stroke?.dashMm !== undefined),
  )
}

/** What one layer contributes to a total, and where a client would reduce it. */
interface Share {
  amount: number
  pointer: string
}

/** Compares a total with its limit. If it exceeds the limit, the largest share is reported as the one to change. */
export function findExcess(shares: readonly Share[], limit: number): { total: number; pointer: string } | undefined {
  const total = shares.reduce((sum, { amount }) => sum + amount, 0)
  if (total <= limit) return undefined
  return { total, pointer: shares.reduce((most, share) => (share.amount > most.amount ? share : most)).pointer }
}

function checkSizes(layer: LayerInput, pointer: string, report: Report): void {
  checkExtent(layer, pointer, report)
  if (layer.type === 'shape') checkStrokeSize(layer.stroke, `${pointer}/stroke`, report)
  if (layer.type === 'image' && layer.crop !== undefined && reachesOutside(layer.crop)) {
    report('crop_outside_image', `${pointer}/crop`, 'The crop reaches beyond the image: x + width or y + height > 1.')
  }
}

function checkExtent(layer: LayerInput, pointer: string, report: Report): void {
  const what = layer.type === 'shape' ? layer.shape : layer.type
  const [width, height] = [roundLength(layer.width), roundLength(layer.height)]
  if (what === 'line') {
    if (width === 0 && height === 0) report('size_not_positive', `${pointer}/width`, 'A line needs a length.')
    return
  }
  if (width === 0) report('size_not_positive', `${pointer}/width`, `The width of a ${what} must be more than 0.`)
  if (height === 0) report('size_not_positive', `${pointer}/height`, `The height of a ${what} must be more than 0.`)
}

function checkStrokeSize(stroke: Stroke | undefined, pointer: string, report: Report): void {
  if (stroke === undefined) return
  if (roundLength(stroke.widthMm) === 0) {
    report('size_not_positive', `${pointer}/widthMm`, 'The width of a line must be more than 0.')
  }
  if (stroke.dashMm?.every((length) => roundLength(length) === 0)) {
    report('dash_without_length', `${pointer}/dashMm`, 'At least one dash or gap needs a length.')
  }
}

function reachesOutside({ x, y, width, height }: Crop): boolean {
  // Room for the rounding of fractions such as 1/3 + 2/3.
  const limit = 1 + 1e-9
  return x + width > limit || y + height > limit
}

const LENGTHS: ReadonlySet<string> = new Set(['x', 'y', 'width', 'height', 'cornerRadius', 'widthMm', 'dashMm'])

function checkNumbers(layer: LayerInput, pointer: string, report: Report): void {
  for (const [key, value] of Object.entries(layer)) {
    if (key === 'crop') checkValue(value, false, `${pointer}/crop`, report)
    else if (key === 'stroke') checkStroke(value, `${pointer}/stroke`, report)
    else checkValue(value, LENGTHS.has(key), `${pointer}/${key}`, report)
  }
}

function checkStroke(stroke: object, pointer: string, report: Report): void {
  for (const [key, value] of Object.entries(stroke)) checkValue(value, LENGTHS.has(key), `${pointer}/${key}`, report)
}

function checkValue(value: unknown, isLength: boolean, pointer: string, report: Report): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) checkValue(inner, isLength, `${pointer}/${key}`, report)
    return
  }
  if (typeof value !== 'number') return
  if (!Number.isFinite(value)) report('number_not_finite', pointer, 'Must be a finite number.')
  else if (isLength && Math.abs(roundLength(value) - value) > LENGTH_NOISE) {
    report('too_many_decimals', pointer, 'Lengths have at most 3 decimals.')
  }
}
