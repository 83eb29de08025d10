import { type FontBook, preflight } from '../../drawing/engine.ts'
import {
  checkLengths,
  type DesignDocument,
  DOCUMENT_LIMITS,
  type FillableLayer,
  fillableLayers,
  filledLength,
  type IssueCode,
  type Layer,
  type PlaceholderData,
  type PreflightIssue,
  type PrintArea,
  type ValueFault,
} from '../../drawing/index.ts'
import type { ValuesJob, ValuesOutcome } from './jobs.ts'

/** The document to check, with the print areas and fonts that the check needs. */
export interface ValuesTarget {
  document: DesignDocument
  printAreas: readonly PrintArea[]
  fonts: FontBook
  /**
   * Called before each layer is laid out. If the process is stopped, the caller can name the layer that took too long.
   */
  onLayer?: (layer: Layer) => void
}

/** The remaining effort for checking values. The unit is the layout of one character. */
export interface CheckingWork {
  left: number
}

/** The error for a request whose values would take longer to check than a request may take. */
export class TooMuchToCheck extends Error {
  override readonly name = 'TooMuchToCheck'
}

/**
 * The most effort of one job. It is limited because a job has the deadline of one document. A single set of values may
 * need more.
 */
const WORK_OF_A_JOB = DOCUMENT_LIMITS.totalTextLength

/**
 * Checks sets of values, starting with the first, until the effort of one job is used up. The first set is always
 * checked.
 *
 * @param target calls `onValues` before each set is checked
 */
export function checkEach(
  target: ValuesTarget & { onValues: (index: number) => void },
  { values, work, faults: mostFaults }: Pick<ValuesJob, 'values' | 'work' | 'faults'>,
): ValuesOutcome {
  const left = { left: work }
  const faults: ValueFault[][] = []
  let found = 0
  try {
    for (const [index, one] of values.entries()) {
      const wouldSpend = work - left.left + costOf(target.document, one)
      if (found >= mostFaults || (index > 0 && wouldSpend > WORK_OF_A_JOB)) break
      target.onValues(index)
      const ofOne = checkValues(target, one, left)
      faults.push(ofOne)
      found += ofOne.length
    }
  } catch (error) {
    if (!(error instanceof TooMuchToCheck)) throw error
    return { faults, work: left.left, isTooMuch: true }
  }
  return { faults, work: left.left, isTooMuch: false }
}

/** Estimates the effort of checking one set of values that causes no faults. */
function costOf(document: DesignDocument, values: PlaceholderData): number {
  return fillableLayers(document).reduce((sum, { layer }) => sum + costOfLayer(layer, values), 0)
}

/**
 * Checks a valid document with the values that will be printed: whether the filled texts fit, fonts have all their
 * glyphs, and QR codes can hold the filled values. The result leaves out faults that the document has with any values.
 *
 * @param values one value for each placeholder
 * @param work the remaining effort, from which the check subtracts its own
 * @throws `TooMuchToCheck` if `work` is not enough
 */
export function checkValues(target: ValuesTarget, values: PlaceholderData, work: CheckingWork): ValueFault[] {
  const tooLong = checkLengths(target.document, values)
  if (tooLong.length > 0) return tooLong
  return fillableLayers(target.document).flatMap((layer) => faultsOfLayer(layer, target, { values, work }))
}

interface Checking {
  values: PlaceholderData
  work: CheckingWork
}

function faultsOfLayer(fillable: FillableLayer, target: ValuesTarget, { values, work }: Checking): ValueFault[] {
  const { names, pointer } = fillable
  const errors = errorsOf(fillable, target, { values, work })
  if (errors.length === 0) return []
  const empty = Object.fromEntries(names.map((name) => [name, '']))
  const always = new Set(errorsOf(fillable, target, { values: empty, work }).map(({ code }) => code))
  return errors
    .filter((error) => !always.has(error.code))
    .flatMap(({ code, message, measured, limit, unit }) => {
      const fault = {
        code,
        message,
        layer: pointer,
        ...(measured === undefined ? {} : { measured }),
        ...(limit === undefined ? {} : { limit }),
        ...(unit === undefined ? {} : { unit }),
      }
      const blamed = blamedNames(fillable, target, { values, work, empty, code })
      return blamed.map((name) => ({ name, ...fault }))
    })
}

/** The most names that are tested one by one. Each test checks the layer once more. */
const NAMES_TRIED = 10

/**
 * Returns the names whose value alone causes the fault. If only a combination of values causes the fault, returns all
 * names.
 */
function blamedNames(
  fillable: FillableLayer,
  target: ValuesTarget,
  { values, work, empty, code }: Checking & { empty: PlaceholderData; code: IssueCode },
): string[] {
  const { names } = fillable
  if (names.length === 1 || names.length > NAMES_TRIED) return names
  const guilty = names.filter((name) => {
    const alone = { ...empty, [name]: values[name] ?? '' }
    return errorsOf(fillable, target, { values: alone, work }).some((error) => error.code === code)
  })
  return guilty.length === 0 ? names : guilty
}

/** Finds the errors of one layer that is filled with values. */
function errorsOf(
  { printAreaId, layer }: FillableLayer,
  { printAreas, fonts, onLayer }: ValuesTarget,
  { values, work }: Checking,
): PreflightIssue[] {
  spend(work, costOfLayer(layer, values))
  const areas = printAreas.filter(({ id }) => id === printAreaId)
  const { issues } = preflight({
    document: { version: 1, placements: [{ printAreaId, layers: [layer] }] },
    product: { status: 'active', printAreas: areas.map((area) => ({ ...area, required: false })) },
    assets: new Map(),
    fonts,
    data: values,
    withFixes: false,
    ...(onLayer === undefined ? {} : { onLayer }),
  })
  return issues.filter(({ severity }) => severity === 'error')
}

/**
 * The effort of checking the position of a layer and the size of its QR code. The effort for its characters is added to
 * this. The unit is the layout of one character.
 */
const COST_OF_A_LAYER = 50

function costOfLayer(layer: Layer, values: PlaceholderData): number {
  return COST_OF_A_LAYER + filledLength(layer, values)
}

function spend(work: CheckingWork, cost: number): void {
  if (cost > work.left) throw new TooMuchToCheck('The values of one request take too long to check')
  work.left -= cost
}
