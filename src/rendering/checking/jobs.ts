import type { AssetSize, DocumentProblem, PlaceholderData, PrintArea, ValueFault } from '../../drawing/index.ts'
import type { RunningJob } from '../pool/messages.ts'
import type { JobFont } from '../types.ts'

/** A document in a job: JSON text passes between processes faster than an object. */
export interface CheckedDocument {
  /** Normalized. */
  documentJson: string
  /** The uploaded fonts that the document names. They come before the installed ones, in this order. */
  fonts: readonly JobFont[]
}

export interface PreflightJob extends CheckedDocument {
  product: { status: string; printAreas: readonly PrintArea[]; variantAvailable: boolean }
  /** By asset id: the images that the owner of the design may use. */
  assets: Readonly<Record<string, AssetSize>>
}

export interface ContentHashJob extends CheckedDocument {
  /** In the product's order. */
  printAreas: readonly PrintArea[]
  assets: Readonly<Record<string, { sha256: string }>>
  /** Values of placeholders. A placeholder without a value is drawn as it is written. */
  data?: PlaceholderData
  /** The output profile; sRGB if left out. */
  outputProfile?: { sha256: string }
}

export interface ValuesJob extends CheckedDocument {
  printAreas: readonly PrintArea[]
  values: readonly PlaceholderData[]
  /** The effort that may be spent, in characters of layout. */
  work: number
  /** Checking ends after this many faults. */
  faults: number
}

export interface ValuesOutcome {
  /** One list for each of the first `values`. A job ends when its effort reaches that of one document. */
  faults: ValueFault[][]
  work: number
  /** Whether it ended because the rest needs more effort than remains. */
  isTooMuch: boolean
}

/**
 * Returned if the uploaded fonts of a job are larger in total than a process may open. `step` is the layer; see
 * `stepOf`. The class of an error would be lost between processes.
 */
export type Bounded<Result> = { result: Result } | { tooManyFontBytes: { step: number } }

export type CheckingJobs = {
  /** Returns the report as JSON. */
  preflight(job: PreflightJob, running: RunningJob): Promise<Bounded<string>>
  checkDashes(job: Pick<CheckedDocument, 'documentJson'>): Promise<Bounded<DocumentProblem[]>>
  contentHash(job: ContentHashJob, running: RunningJob): Promise<Bounded<string>>
  checkValues(job: ValuesJob, running: RunningJob): Promise<Bounded<ValuesOutcome>>
  selfTest(): Promise<void>
}

/** The distance between the steps of two sets of values. A document has fewer layers. */
const STEPS_OF_A_DOCUMENT = 1 << 12

/** Encodes the position of a layer in the whole document, and of a set of values, as one step. */
export function stepOf(layer: number, values = 0): number {
  return values * STEPS_OF_A_DOCUMENT + layer
}

/** Decodes a step; see `stepOf`. */
export function readStep(step: number): { layer: number; values: number } {
  return { layer: step % STEPS_OF_A_DOCUMENT, values: Math.floor(step / STEPS_OF_A_DOCUMENT) }
}
