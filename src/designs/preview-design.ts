import { createHash } from 'node:crypto'
import { type DesignDocument, listPlaceholders } from '../drawing/index.ts'
import type { Db } from '../platform/db/index.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import { readWeightedValues, type WeightedValue } from '../platform/http/input/weighted-values.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { PrintArea } from '../products/index.ts'
import type { PreviewFormat, Renderer } from '../rendering/index.ts'
import { assetIdsOf, type CheckDeps, findAssets, requireProduct } from './checking/check-inputs.ts'
import { toCheckProblem } from './checking/to-check-problem.ts'
import { hashesById, imagesOf, toRenderProblem } from './files/render-input.ts'
import { findOwnFonts, findRetainedFonts, jobFontsOf, type OwnFont } from './fonts/design-fonts.ts'
import type { PlaceholderValues } from './personalization/personalize.ts'
import { valuesFor } from './personalization/read-values.ts'
import { designProblems } from './problems.ts'
import type { Design } from './store.ts'

export interface PreviewDeps extends CheckDeps {
  /** The account whose processing time the preview takes. Defaults to the owner of the design. */
  account?: string
  storage: Storage
  renderer: Pick<Renderer, 'preview'>
}

export interface Preview {
  /** Entity tag. Two previews have the same tag if they are equal, and only then. */
  etag: string
  /** @param signal stops the drawing while it waits for a process */
  draw(signal?: AbortSignal): Promise<Uint8Array>
}

/** The part of a design that its preview shows. */
export type Previewable = Pick<
  Design,
  'id' | 'ownerId' | 'templateId' | 'productId' | 'status' | 'documentJson' | 'finalization'
>

export interface PreviewOptions {
  printAreaId: string | undefined
  widthPx: number
  format: PreviewFormat
  values?: PlaceholderValues
}

/**
 * Prepares a preview of one print area of a design in any state. Missing images are left out. A finalized design is
 * shown on the product for which it was finalized.
 *
 * @param options `widthPx` 16 to 2000; `values` for placeholders. A placeholder without a value is drawn as it is
 *   written, and a value without a placeholder is ignored
 * @throws `print_area_not_found`, `validation_failed`, `too_many_fonts`, `text_too_complex`, `renderer_busy`; drawing:
 *   `render_failed`, `renderer_busy`
 */
export async function previewDesign(
  db: Db,
  deps: PreviewDeps,
  design: Previewable,
  options: PreviewOptions,
): Promise<Preview> {
  const { storage, renderer, checker, signal, account = design.ownerId } = deps
  const document = JSON.parse(design.documentJson) as DesignDocument
  const printAreas = await printAreasOf(db, design)
  const printAreaId = requirePrintArea(printAreas, options.printAreaId)
  const assets = await findAssets(db, design, assetIdsOf(document))
  const fonts = await fontsOf(db, design, document)
  const { widthPx, format, values } = options
  const data = values === undefined ? {} : valuesFor(document, listPlaceholders(document), values)
  const filling = Object.keys(data).length === 0 ? {} : { data }
  const inputs = { printAreas, assets: hashesById(assets), fonts: await jobFontsOf(storage, fonts), ...filling }
  const content = await checker
    .contentHash({ documentJson: design.documentJson, ...inputs }, { owner: account, signal })
    .catch((error: unknown) => {
      throw toCheckProblem(error, document)
    })
  const etag = createHash('sha256').update(`${content} ${printAreaId} ${widthPx} ${format}`).digest('base64url')
  const draw: Preview['draw'] = async (drawSignal) => {
    const images = await imagesOf(storage, assets)
    const jobFonts = await jobFontsOf(storage, fonts)
    const job = { document, printAreas, images, fonts: jobFonts, printAreaId, widthPx, format, ...filling }
    return renderer.preview(job, { owner: account, signal: drawSignal }).catch((error: unknown) => {
      throw toRenderProblem(error)
    })
  }
  return { etag: `"${etag}"`, draw }
}

/**
 * Finds the print area that a preview shows.
 *
 * @throws `print_area_not_found`
 */
export async function findPrintArea(db: Db, design: Design, printAreaId: string | undefined): Promise<string> {
  return requirePrintArea(await printAreasOf(db, design), printAreaId)
}

function requirePrintArea(printAreas: readonly PrintArea[], wanted: string | undefined): string {
  const printAreaId = wanted ?? printAreas[0]?.id
  if (printAreaId === undefined || !printAreas.some(({ id }) => id === printAreaId)) {
    throw designProblems.print_area_not_found()
  }
  return printAreaId
}

/**
 * A finalized design is shown in the fonts with which it was finalized. An archived one no longer keeps its fonts, so
 * those that its owner has not deleted are used.
 */
async function fontsOf(db: Db, design: Previewable, document: DesignDocument): Promise<readonly OwnFont[]> {
  if (design.status === 'finalized') return findRetainedFonts(db, design.id)
  const uploaded = design.finalization === null ? {} : { uploadedUntil: design.finalization.finalizedAt }
  return findOwnFonts(db, design.ownerId, document, uploaded)
}

async function printAreasOf(db: Db, design: Previewable): Promise<PrintArea[]> {
  if (design.finalization !== null) return JSON.parse(design.finalization.printAreasJson) as PrintArea[]
  return (await requireProduct(db, design.productId)).printAreas
}

/**
 * Chooses the format that a client prefers (RFC 9110, 12.5.1), by default WebP.
 *
 * @throws `not_acceptable`
 */
export function previewFormat(accept = '*/*'): PreviewFormat {
  const ranges = readWeightedValues(accept.toLowerCase())
  const webp = weightOf('image/webp', ranges)
  const png = weightOf('image/png', ranges)
  if (webp === 0 && png === 0) throw httpProblems.not_acceptable('A preview can be image/webp or image/png.')
  return png > webp ? 'png' : 'webp'
}

/** Returns the weight, 0 to 1, that the most specific matching range of an `Accept` header gives a media type. */
function weightOf(mediaType: string, ranges: readonly WeightedValue[]): number {
  const wanted = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*']
  const matching = wanted.map((name) => ranges.find(({ value }) => value === name))
  return matching.find((range) => range !== undefined)?.weight ?? 0
}
