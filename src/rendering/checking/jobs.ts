import type { AssetSize, DocumentProblem, PlaceholderData, PrintArea, ValueFault } from '../../drawing/index.ts'
import type { RunningJob } from '../pool/messages.ts'
import type { JobFont } from '../types.ts'

/** A document in a job, as JSON text, because text passes between processes faster than an object. */
export interface CheckedDocument {
  /** A normalized document. */
  documentJson: string
  /** The uploaded fonts that the document names. Layout tries them before the installed fonts, in this order. */
  fonts: readonly JobFont[]
}

export interface PreflightJob extends CheckedDocument {
  product: { status: string; printAreas: readonly PrintArea[]; variantAvailable: boolean }
  /** By asset id: the images that the owner of the design may use. */
  assets: Readonly<Record<string, AssetSize>>
}

export interface ContentHashJob extends CheckedDocument {
  /** In the order of the product. */
  printAreas: readonly PrintArea[]
  assets: Readonly<Record<string, { sha256: string }>>
  /** Values of placeholders. Drawing shows a placeholder without a value as written, with its braces. */
  data?: PlaceholderData
  /** The output profile. If left out, the output profile is sRGB. */
  outputProfile?: { sha256: string }
}

export interface ValuesJob extends CheckedDocument {
  printAreas: readonly PrintArea[]
  values: readonly PlaceholderData[]
  /** The effort that may be spent. The unit is the layout of one character. */
  work: number
  /** Checking ends after this many faults. */
  faults: number
}

export interface ValuesOutcome {
  /**
   * One list for each checked set of `values`, from the first. A job ends when its effort reaches that of one document.
   */
  faults: ValueFault[][]
  work: number
  /** Whether the job ended because the next set of values needs more effort than remains. */
  isTooMuch: boolean
}

/**
 * The result of a job. `tooManyFontBytes` means that the uploaded fonts are larger in total than a process may open;
 * its `step` is the layer, see `stepOf`. A value is used because the class of an error would be lost between processes.
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

/** The difference between the steps of two sets of values. A document has fewer layers than this. */
const STEPS_OF_A_DOCUMENT = 1 << 12

/** Encodes the position of a layer in the document and of a set of values as one number. */
export function stepOf(layer: number, values = 0): number {
  return values * STEPS_OF_A_DOCUMENT + layer
}

/** Decodes a number that `stepOf` returned. */
export function readStep(step: number): { layer: number; values: number } {
  return { layer: step % STEPS_OF_A_DOCUMENT, values: Math.floor(step / STEPS_OF_A_DOCUMENT) }
}
