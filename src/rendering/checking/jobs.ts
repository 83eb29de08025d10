import type { AssetSize, DocumentProblem, PlaceholderData, PrintArea, ValueFault } from '../../drawing/index.ts'
import type { RunningJob } from '../pool/messages.ts'
import type { JobFont } from '../types.ts'

/** A document as the checking processes take it: as JSON, which passes between processes faster than an object. */
export interface CheckedDocument {
  /** Normalized; see `normalizeDocument`. */
  documentJson: string
  /** The owner's fonts that the document names, before the installed ones, in this order. */
  fonts: readonly JobFont[]
}

export interface PreflightJob extends CheckedDocument {
  product: { status: string; printAreas: readonly PrintArea[]; variantAvailable: boolean }
  /** By asset id: those that the design's owner may use. */
  assets: Readonly<Record<string, AssetSize>>
}

export interface ContentHashJob extends CheckedDocument {
  /** In the product's order. */
  printAreas: readonly PrintArea[]
  /** By asset id. */
  assets: Readonly<Record<string, { sha256: string }>>
  /** Values of placeholders; without, they are drawn as they stand. */
  data?: PlaceholderData
  /** The profile of the print file's condition of output; none for sRGB. */
  outputProfile?: { sha256: string }
}

export interface ValuesJob extends CheckedDocument {
  printAreas: readonly PrintArea[]
  /** Each with a value for each placeholder. */
  values: readonly PlaceholderData[]
  /** What may be spent, in characters that are laid out. */
  work: number
  /** Checking ends when so many faults are found. */
  faults: number
}

export interface ValuesOutcome {
  /** For each of the first of `values` that were checked: a job ends when it has done as much as one document takes. */
  faults: ValueFault[][]
  /** What is left of the work. */
  work: number
  /** Whether it ended because the rest would take more than is left. */
  isTooMuch: boolean
}

/**
 * The job's own fonts are larger together than a process opens at once. `step` is the layer; see `stepOf`.
 * An error's class does not survive the way to the parent, so that this is an answer.
 */
export type Bounded<Result> = { result: Result } | { tooManyFontBytes: { step: number } }

/** The jobs of the checking processes, by kind. */
export type CheckingJobs = {
  /** Answers the report as JSON. */
  preflight(job: PreflightJob, running: RunningJob): Promise<Bounded<string>>
  checkDashes(job: Pick<CheckedDocument, 'documentJson'>): Promise<Bounded<DocumentProblem[]>>
  contentHash(job: ContentHashJob, running: RunningJob): Promise<Bounded<string>>
  checkValues(job: ValuesJob, running: RunningJob): Promise<Bounded<ValuesOutcome>>
  selfTest(): Promise<void>
}

/** Steps of the values that are checked, one after the other; a document has fewer layers. */
const STEPS_OF_A_DOCUMENT = 1 << 12

/** The step of a job at a layer, counted through the whole document, and at one of several values. */
export function stepOf(layer: number, values = 0): number {
  return values * STEPS_OF_A_DOCUMENT + layer
}

/** What a step means; see `stepOf`. */
export function readStep(step: number): { layer: number; values: number } {
  return { layer: step % STEPS_OF_A_DOCUMENT, values: Math.floor(step / STEPS_OF_A_DOCUMENT) }
}
