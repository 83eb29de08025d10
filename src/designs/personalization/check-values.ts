import { setImmediate as yieldToOthers } from 'node:timers/promises'
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

/** What may still be spent on checking values, in characters that are laid out, or their equal. */
export interface CheckingWork {
  left: number
  /** Spent since others had their turn. */
  unbroken: number
}

/** As much as ten of the longest documents: about half a second. */
export const WORK_OF_A_REQUEST = 10 * DOCUMENT_LIMITS.totalTextLength

/** The values of one request would take longer to check than one request may. */
export class TooMuchToCheck extends Error {
  override readonly name = 'TooMuchToCheck'
}

/**
 * Checks a document that is sound as it stands with the values that are to be printed: whether they fit, whether there
 * are glyphs for them, whether the QR codes hold them. What would be wrong with any values is not their fault.
 * Others have their turn every few milliseconds.
 *
 * @param values one for each placeholder
 * @param work taken from
 * @throws `TooMuchToCheck`
 */
export async function checkValues(
  target: ValuesTarget,
  values: PlaceholderData,
  work: CheckingWork,
): Promise<ValueFault[]> {
  const layers = fillableLayers(target.document)
  const tooLong = faultsOfLength(layers, values)
  if (tooLong.length > 0) return tooLong
  const faults: ValueFault[] = []
  for (const layer of layers) faults.push(...(await faultsOfLayer(layer, target, { values, work })))
  return faults
}

/**
 * Whether texts or QR values become longer than documents may be. Drawing them would take too long to even begin.
 *
 * @param values of any of the placeholders
 */
export function checkLengths(document: DesignDocument, values: PlaceholderData): ValueFault[] {
  return faultsOfLength(fillableLayers(document), values)
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
    left = Math.max(0, left - measured)
    if (measured <= limit) return []
    const code = layer.type === 'qr' && limit === own ? 'qr_value_too_long' : 'too_much_text'
    const message =
      limit === own
        ? `The ${layer.type === 'qr' ? 'QR value' : 'text'} becomes ${measured} characters long; ${limit} are possible.`
        : `The texts and QR values together become longer than ${DOCUMENT_LIMITS.totalTextLength} characters.`
    return [{ name: longest(names, values), code, message, layer: pointer, measured, limit }]
  })
}

function longest(names: readonly string[], values: PlaceholderData): string {
  const lengthOf = (name: string) => values[name]?.length ?? 0
  return names.reduce((longest, name) => (lengthOf(name) > lengthOf(longest) ? name : longest))
}

interface Checking {
  values: PlaceholderData
  work: CheckingWork
}

async function faultsOfLayer(
  fillable: FillableLayer,
  target: ValuesTarget,
  { values, work }: Checking,
): Promise<ValueFault[]> {
  const { names, pointer } = fillable
  const errors = await errorsOf(fillable, target, { values, work })
  if (errors.length === 0) return []
  const empty = Object.fromEntries(names.map((name) => [name, '']))
  const always = new Set((await errorsOf(fillable, target, { values: empty, work })).map(({ code }) => code))
  const faults: ValueFault[] = []
  for (const { code, message, measured, limit, unit } of errors.filter((error) => !always.has(error.code))) {
    const fault = {
      code,
      message,
      layer: pointer,
      ...(measured === undefined ? {} : { measured }),
      ...(limit === undefined ? {} : { limit }),
      ...(unit === undefined ? {} : { unit }),
    }
    const blamed = await blamedNames(fillable, target, { values, work, empty, code })
    faults.push(...blamed.map((name) => ({ name, ...fault })))
  }
  return faults
}

/** Finding out which of more values is at fault checks the layer once for each. */
const NAMES_TRIED = 10

/** The names whose value alone has the fault; all, where only their combination has it. */
async function blamedNames(
  fillable: FillableLayer,
  target: ValuesTarget,
  { values, work, empty, code }: Checking & { empty: PlaceholderData; code: IssueCode },
): Promise<string[]> {
  const { names } = fillable
  if (names.length === 1 || names.length > NAMES_TRIED) return names
  const guilty: string[] = []
  for (const name of names) {
    const alone = { ...empty, [name]: values[name] ?? '' }
    const errors = await errorsOf(fillable, target, { values: alone, work })
    if (errors.some((error) => error.code === code)) guilty.push(name)
  }
  return guilty.length === 0 ? names : guilty
}

/** The errors of one layer by itself. The rest of the document does not change with the values. */
async function errorsOf(
  { printAreaId, layer }: FillableLayer,
  { printAreas, fonts }: ValuesTarget,
  { values, work }: Checking,
): Promise<PreflightIssue[]> {
  await spend(work, COST_OF_A_LAYER + filledLength(layer, values))
  const areas = printAreas.filter(({ id }) => id === printAreaId)
  const { issues } = preflight({
    document: { version: 1, placements: [{ printAreaId, layers: [layer] }] },
    product: { status: 'active', printAreas: areas.map((area) => ({ ...area, required: false })) },
    assets: new Map(),
    fonts,
    data: values,
    withFixes: false,
  })
  return issues.filter(({ severity }) => severity === 'error')
}

/** What a layer costs besides its characters: checking where it stands, and measuring a code. */
const COST_OF_A_LAYER = 50

/** Some milliseconds. */
const UNBROKEN_WORK = 2_000

async function spend(work: CheckingWork, cost: number): Promise<void> {
  if (cost > work.left) throw new TooMuchToCheck('The values of one request take too long to check')
  if (work.unbroken > UNBROKEN_WORK) {
    work.unbroken = 0
    await yieldToOthers()
  }
  work.left -= cost
  work.unbroken += cost
}
