import {
  type DesignDocument,
  DOCUMENT_LIMITS,
  type FontBook,
  filledLength,
  type IssueCode,
  type Layer,
  type PlaceholderData,
  type PreflightIssue,
  type PrintArea,
  placeholdersOf,
  preflight,
} from '../../drawing/index.ts'

/** What the values of placeholders are checked against. */
export interface ValuesTarget {
  /** Normalized. */
  document: DesignDocument
  printAreas: readonly PrintArea[]
  fonts: FontBook
}

/** A reason why a document cannot be printed with these values, and the name of a value that is at fault. */
export interface ValueFault {
  name: string
  code: IssueCode
  message: string
  /** Pointer of the layer in the document. */
  layer: string
  measured?: number
  limit?: number
  unit?: string
}

/**
 * Checks a document that is sound as it stands with the values that are to be printed: whether they fit, whether there
 * are glyphs for them, whether the QR codes hold them. What would be wrong with any values is not their fault.
 *
 * @param values one for each placeholder
 */
export function checkValues(target: ValuesTarget, values: PlaceholderData): ValueFault[] {
  const layers = fillableLayers(target.document)
  const tooLong = faultsOfLength(layers, values)
  if (tooLong.length > 0) return tooLong
  return layers.flatMap((layer) => faultsOfLayer(layer, target, values))
}

/**
 * Whether texts or QR values become longer than documents may be. Drawing them would take too long to even begin.
 *
 * @param values of any of the placeholders
 */
export function checkLengths(document: DesignDocument, values: PlaceholderData): ValueFault[] {
  return faultsOfLength(fillableLayers(document), values)
}

/** How many characters are laid out for an item of this document with these values. */
export function lengthToLayOut(document: DesignDocument, values: PlaceholderData): number {
  const lengths = fillableLayers(document).map(({ layer }) => filledLength(layer, values))
  return lengths.reduce((total, length) => total + length, 0)
}

interface FillableLayer {
  printAreaId: string
  pointer: string
  layer: Layer
  /** Of its placeholders. */
  names: string[]
}

function fillableLayers({ placements }: DesignDocument): FillableLayer[] {
  return placements.flatMap(({ printAreaId, layers }, p) =>
    layers.flatMap((layer, l) => {
      const names = placeholdersOf(layer)
      return names.length === 0 ? [] : [{ printAreaId, pointer: `/placements/${p}/layers/${l}`, layer, names }]
    }),
  )
}

function faultsOfLength(layers: readonly FillableLayer[], values: PlaceholderData): ValueFault[] {
  let left: number = DOCUMENT_LIMITS.totalTextLength
  return layers.flatMap(({ layer, names, pointer }) => {
    const measured = filledLength(layer, values)
    const own = layer.type === 'qr' ? DOCUMENT_LIMITS.qrLength : DOCUMENT_LIMITS.textLength
    const limit = Math.min(own, left)
    if (layer.type === 'text') left = Math.max(0, left - measured)
    if (measured <= limit) return []
    const code = layer.type === 'qr' ? 'qr_value_too_long' : 'too_much_text'
    const message =
      limit === own
        ? `The ${layer.type === 'qr' ? 'QR value' : 'text'} becomes ${measured} characters long; ${limit} are possible.`
        : `The texts together become longer than ${DOCUMENT_LIMITS.totalTextLength} characters.`
    return [{ name: longest(names, values), code, message, layer: pointer, measured, limit }]
  })
}

function longest(names: readonly string[], values: PlaceholderData): string {
  const lengthOf = (name: string) => values[name]?.length ?? 0
  return names.reduce((longest, name) => (lengthOf(name) > lengthOf(longest) ? name : longest))
}

function faultsOfLayer(fillable: FillableLayer, target: ValuesTarget, values: PlaceholderData): ValueFault[] {
  const { names, pointer } = fillable
  const errors = errorsOf(fillable, target, values)
  if (errors.length === 0) return []
  const empty = Object.fromEntries(names.map((name) => [name, '']))
  const always = new Set(errorsOf(fillable, target, empty).map(({ code }) => code))
  return errors
    .filter(({ code }) => !always.has(code))
    .flatMap(({ code, message, measured, limit, unit }) => {
      const fault = {
        code,
        message,
        layer: pointer,
        ...(measured === undefined ? {} : { measured }),
        ...(limit === undefined ? {} : { limit }),
        ...(unit === undefined ? {} : { unit }),
      }
      return blamedNames(fillable, target, { values, empty, code }).map((name) => ({ name, ...fault }))
    })
}

/** Finding out which of more values is at fault checks the layer once for each. */
const NAMES_TRIED = 10

/** The names whose value alone has the fault; all, where only their combination has it. */
function blamedNames(
  fillable: FillableLayer,
  target: ValuesTarget,
  { values, empty, code }: { values: PlaceholderData; empty: PlaceholderData; code: IssueCode },
): string[] {
  const { names } = fillable
  if (names.length === 1 || names.length > NAMES_TRIED) return names
  const guilty = names.filter((name) => {
    const alone = { ...empty, [name]: values[name] ?? '' }
    return errorsOf(fillable, target, alone).some((error) => error.code === code)
  })
  return guilty.length === 0 ? names : guilty
}

/** The errors of one layer by itself. The rest of the document does not change with the values. */
function errorsOf(
  { printAreaId, layer }: FillableLayer,
  { printAreas, fonts }: ValuesTarget,
  data: PlaceholderData,
): PreflightIssue[] {
  const { issues } = preflight({
    document: { version: 1, placements: [{ printAreaId, layers: [layer] }] },
    product: { status: 'active', printAreas: printAreas.map((area) => ({ ...area, required: false })) },
    assets: new Map(),
    fonts,
    data,
  })
  return issues.filter(({ severity }) => severity === 'error')
}
