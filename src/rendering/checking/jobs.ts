import type { AssetSize, DocumentProblem, PlaceholderData, PrintArea, ValueFault } from '../../drawing/index.ts'
import type { RunningJob } from '../pool/messages.ts'
import type { JobFont } from '../types.ts'

/** The document of a job. It is JSON text, because text passes between processes faster than an object. */
export interface CheckedDocument {
  /** A normalized document. */
  documentJson: string
  /** The uploaded fonts that the document names. Layout tries them in this order, before the installed fonts. */
  fonts: readonly JobFont[]
}

export interface PreflightJob extends CheckedDocument {
  product: { status: string; printAreas: readonly PrintArea[]; variantAvailable: boolean }
  /** The images that the owner of the design may use, by asset id. */
  assets: Readonly<Record<string, AssetSize>>
}

export interface ContentHashJob extends CheckedDocument {
  /** The print areas in the order of the product. */
  printAreas: readonly PrintArea[]
  assets: Readonly<Record<string, { sha256: string }>>
  /** Values of placeholders. Drawing shows a placeholder without a value as written, with its braces. */
  data?: PlaceholderData
  /** The output profile. Defaults to sRGB. */
  outputProfile?: { sha256: string }
}

export interface ValuesJob extends CheckedDocument {
  printAreas: readonly PrintArea[]
  values: readonly PlaceholderData[]
  /** The effort that the job may use. The unit is the layout of one character. */
  work: number
  /** The job ends after it has found this many faults. */
  faults: number
}

export interface ValuesOutcome {
  /**
   * A list of faults for each checked set of `values`, starting with the first set. The job may end before the last
   * set, when it has used the effort of one document.
   */
  faults: ValueFault[][]
  work: number
  /** Whether the job ended because the next set of values needs more effort than remains. */
  isTooMuch: boolean
}

/**
 * The result of a job. `tooManyFontBytes` means that the uploaded fonts are larger in total than a process may open.
 * Its `step` identifies the layer (`stepOf`). This is a value and not an error, because errors lose their class when
 * they pass between processes.
 */
export type Bounded<Result> = { result: Result } | { tooManyFontBytes: { step: number } }

export type CheckingJobs = {
  /** Returns the preflight report as JSON. */
  preflight(job: PreflightJob, running: RunningJob): Promise<Bounded<string>>
  checkDashes(job: Pick<CheckedDocument, 'documentJson'>): Promise<Bounded<DocumentProblem[]>>
  contentHash(job: ContentHashJob, running: RunningJob): Promise<Bounded<string>>
  checkValues(job: ValuesJob, running: RunningJob): Promise<Bounded<ValuesOutcome>>
  selfTest(): Promise<void>
}

/**
 * The difference between the steps of two consecutive sets of values. It is larger than the number of layers of a
 * document.
 */
const STEPS_OF_A_DOCUMENT = 1 << 12

/** Encodes the position of a layer in the document and of a set of values as one number. */
export function stepOf(layer: number, values = 0): number {
  return values * STEPS_OF_A_DOCUMENT + layer
}

/** Decodes a number that `stepOf` returned. */
export function readStep(step: number): { layer: number; values: number } {
  return { layer: step % STEPS_OF_A_DOCUMENT, values: Math.floor(step / STEPS_OF_A_DOCUMENT) }
}
