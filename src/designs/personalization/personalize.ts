import { DOCUMENT_LIMITS, type ValueFault } from '../../drawing/index.ts'
import { isDatabaseUnavailable } from '../../platform/db/connections/errors.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { Problem } from '../../platform/problem.ts'
import { isDamage, type Storage } from '../../platform/storage/index.ts'
import {
  type Checker,
  type DocumentChecks,
  DocumentTooComplex,
  type Excess,
  type Renderer,
  renderFaultOf,
  type ValuesOutcome,
} from '../../rendering/index.ts'
import { assetIdsOf, findAssets } from '../checking/check-inputs.ts'
import { layerAtFault, toCheckProblem } from '../checking/to-check-problem.ts'
import { type PlannedFiles, planFiles } from '../files/draw-files.ts'
import { findRetainedFonts, jobFontsOf, type OwnFont, toOwnFont } from '../fonts/design-fonts.ts'
import { findTemplate, listPersonalizable, type Template } from './store.ts'

export interface PersonalizationDeps {
  storage: Storage
  renderer: Pick<Renderer, 'inBackground'>
  checker: Pick<Checker, 'checkValues' | 'inBackground'>
}

export interface ValuesCheckDeps {
  storage: Pick<Storage, 'localPath'>
  checker: Pick<DocumentChecks, 'checkValues'>
  /** Removes a waiting job from the queue when its client disconnects. */
  signal?: AbortSignal | undefined
}

/**
 * Limit of the work for one request, in characters that are laid out or equivalent effort: ten documents at their
 * limits.
 */
export const WORK_OF_A_REQUEST = 10 * DOCUMENT_LIMITS.totalTextLength

/** The values of one request need more work to check than one request may cause. */
export class TooMuchToCheck extends Error {
  override readonly name = 'TooMuchToCheck'
}

/** The layout of one of several personalizations exceeds a limit; `index` is its position. */
export class PersonalizationTooComplex extends Error {
  override readonly name = 'PersonalizationTooComplex'
  readonly index: number
  /** JSON Pointer of the layer in the document. `fontFamily` is the font that it names. */
  readonly layer: string
  readonly fontFamily: string | undefined

  constructor(index: number, { pointer, fontFamily, detail }: ReturnType<typeof layerAtFault>) {
    super(detail)
    this.index = index
    this.layer = pointer
    this.fontFamily = fontFamily
  }
}

export type PlaceholderValues = Readonly<Record<string, string>>

/** A finalization with the texts that are printed for its placeholders. */
export interface Personalization {
  finalizationId: string
  values: PlaceholderValues
}

/** A fault of one of several personalizations; `index` is its position. */
export interface PersonalizationFault extends ValueFault {
  index: number
}

/** Maximum number of faults in a response. A longer list would not help a client. */
const FAULTS_TOLD = 50

/**
 * Finds the personalizations that cannot be printed with their values. Equal ones are checked once. A finalization
 * never changes, so the result stays valid. Call this function before a transaction, because it takes time and may read
 * the storage.
 *
 * @throws `TooMuchToCheck`, `PersonalizationTooComplex`, `renderer_busy`, `storage_unavailable`
 */
export async function checkPersonalizations(
  db: Db,
  deps: ValuesCheckDeps,
  personalizations: readonly Personalization[],
): Promise<PersonalizationFault[]> {
  const faults: PersonalizationFault[] = []
  let work = WORK_OF_A_REQUEST
  for (const group of groupEqual(personalizations)) {
    const outcome = await checkGroup(db, deps, group, { work, faults: FAULTS_TOLD - faults.length })
    for (const [position, found] of outcome.faults.entries()) {
      const { indexes = [] } = group.byValues[position] ?? {}
      faults.push(...indexes.flatMap((index) => found.map((fault) => ({ index, ...fault }))))
    }
    if (faults.length >= FAULTS_TOLD) break
    if (outcome.isTooMuch) throw new TooMuchToCheck('the values of one request take too long to check')
    work = outcome.work
  }
  return firstOf(faults)
}

async function checkGroup(
  db: Db,
  { storage, checker, signal }: ValuesCheckDeps,
  { finalizationId, byValues }: Group,
  bounds: { work: number; faults: number },
): Promise<ValuesOutcome> {
  const { document, printAreas, designId, ownerId } = await requireTemplate(db, finalizationId)
  const fonts = await jobFontsOf(storage, await findRetainedFonts(db, designId))
  const values = byValues.map((one) => one.values)
  const job = { documentJson: JSON.stringify(document), printAreas, fonts, values, ...bounds }
  return checker.checkValues(job, { owner: ownerId, signal }).catch((error: unknown) => {
    if (!(error instanceof DocumentTooComplex)) throw toCheckProblem(error, document)
    const index = byValues[error.values]?.indexes[0] ?? 0
    throw new PersonalizationTooComplex(index, layerAtFault(error, document))
  })
}

function firstOf(faults: readonly PersonalizationFault[]): PersonalizationFault[] {
  return faults.toSorted((a, b) => a.index - b.index).slice(0, FAULTS_TOLD)
}

interface Group {
  finalizationId: string
  byValues: { values: PlaceholderValues; indexes: number[] }[]
}

function groupEqual(personalizations: readonly Personalization[]): Group[] {
  const groups = new Map<string, Map<string, Group['byValues'][number]>>()
  for (const [index, { finalizationId, values }] of personalizations.entries()) {
    const group = groups.get(finalizationId) ?? new Map<string, Group['byValues'][number]>()
    groups.set(finalizationId, group)
    const key = JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))
    const equal = group.get(key)
    if (equal === undefined) group.set(key, { values, indexes: [index] })
    else equal.indexes.push(index)
  }
  return Array.from(groups, ([finalizationId, group]) => ({ finalizationId, byValues: [...group.values()] }))
}

/**
 * The uploads that are needed to draw a finalization, by content. It can be drawn again for as long as the storage
 * retains their bytes.
 */
export interface Sources {
  /** SHA-256 of each image, by the id that the document names. */
  images: Record<string, string>
  /** The uploaded fonts. Absent if there are none. */
  fonts?: OwnFont[]
}

/** Lists the hashes of all files of these sources. */
export function sourceHashes({ images, fonts = [] }: Sources): string[] {
  return [...new Set([...Object.values(images), ...fonts.map(({ sha256 }) => sha256)])]
}

/**
 * Collects the sources of those finalizations that have placeholders, by finalization. The caller holds the lock of
 * `requireOrderables`, so all images and fonts exist.
 */
export async function collectSources(trx: Trx, finalizationIds: readonly string[]): Promise<Map<string, Sources>> {
  const sources = new Map<string, Sources>()
  for (const id of await listPersonalizable(trx, finalizationIds)) {
    const { designId, document, ...design } = await requireTemplate(trx, id)
    const assets = await findAssets(trx, design, assetIdsOf(document))
    const images = Object.fromEntries(Array.from(assets, ([assetId, { sha256 }]) => [assetId, sha256]))
    const fonts = (await findRetainedFonts(trx, designId)).map(toOwnFont)
    sources.set(id, { images, ...(fonts.length === 0 ? {} : { fonts }) })
  }
  return sources
}

/**
 * Plans the print file and previews of a finalization with these values. The method `draw` of the result draws
 * and stores the files, at a lower priority than interactive jobs. When it is done, the files survive a power failure.
 */
export async function planPersonalized(
  db: Db,
  deps: PersonalizationDeps,
  { finalizationId, values, sources }: Personalization & { sources: Sources },
): Promise<PlannedFiles> {
  const { document, ownerId, templateId, printAreas, outputProfile } = await requireTemplate(db, finalizationId)
  const recorded = await findAssets(db, { ownerId, templateId }, Object.keys(sources.images))
  // The records of images are needed only for the sizes. They no longer exist after the account is erased.
  const assets = new Map(Object.entries(sources.images).map(([id, sha256]) => [id, recorded.get(id) ?? { sha256 }]))
  const fonts = sources.fonts ?? []
  const output = outputProfile === null ? {} : { outputProfile: { sha256: outputProfile } }
  const content = { document, ownerId, printAreas, assets, fonts, data: values, ...output }
  const { storage, renderer, checker } = deps
  return planFiles({ storage, renderer: renderer.inBackground, checker: checker.inBackground }, content)
}

async function requireTemplate(db: Db | Trx, finalizationId: string): Promise<Template> {
  const template = await findTemplate(db, finalizationId)
  // Finalizations that orders refer to are never deleted.
  if (template === undefined) throw new Error(`the finalization ${finalizationId} of an order does not exist`)
  return template
}

/**
 * Why files were not drawn. `unavailable` means that the renderer, the storage or the database is unavailable or
 * overloaded.
 */
export type DrawingFailure = 'unavailable' | 'timed_out' | 'out_of_memory' | 'failed'

const FAILURE_OF_EXCESS: Readonly<Record<Excess, DrawingFailure>> = {
  time: 'timed_out',
  memory: 'out_of_memory',
  fonts: 'out_of_memory',
  crash: 'failed',
}

export function drawingFailureOf(error: unknown): DrawingFailure {
  if (isDatabaseUnavailable(error)) return 'unavailable'
  // A lost or damaged image also causes a problem with status 503, but a retry cannot bring the image back.
  if (error instanceof DocumentTooComplex) return FAILURE_OF_EXCESS[error.excess]
  if (error instanceof Problem) return error.status === 503 && !isDamage(error) ? 'unavailable' : 'failed'
  switch (renderFaultOf(error)) {
    case 'busy':
    case 'system':
      return 'unavailable'
    case 'timeout':
      return 'timed_out'
    case 'memory':
      return 'out_of_memory'
    default:
      return 'failed'
  }
}
