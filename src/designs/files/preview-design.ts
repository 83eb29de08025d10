import { createHash } from 'node:crypto'
import type { DesignDocument } from '../../drawing/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/problems.ts'
import type { Storage } from '../../platform/storage.ts'
import type { PrintArea } from '../../products/index.ts'
import { contentHash, type PreviewFormat, type Renderer } from '../../rendering/index.ts'
import { assetIdsOf, type CheckDeps, findAssets, findOffer } from '../check-design.ts'
import { designProblems } from '../problems.ts'
import type { Design } from '../store.ts'
import { imagesOf, toRenderProblem } from './render-input.ts'

export interface PreviewDeps extends CheckDeps {
  storage: Storage
  renderer: Pick<Renderer, 'preview'>
}

export interface Preview {
  /** Entity tag: equal exactly for equal pictures. */
  etag: string
  draw(): Promise<Uint8Array>
}

/**
 * Prepares a picture of one print area of a design in any state. Missing images are left out.
 * A finalized design is shown on the product it was finalized for.
 *
 * @param options `widthPx` 16 to 2000
 * @throws `print_area_not_found`; drawing: `render_failed`, `renderer_busy`
 */
export async function previewDesign(
  db: Db,
  { fonts, storage, renderer }: PreviewDeps,
  design: Design,
  options: { printAreaId: string | undefined; widthPx: number; format: PreviewFormat },
): Promise<Preview> {
  const document = JSON.parse(design.documentJson) as DesignDocument
  const printAreas = await printAreasOf(db, design)
  const printAreaId = options.printAreaId ?? printAreas[0]?.id
  if (printAreaId === undefined || !printAreas.some(({ id }) => id === printAreaId)) {
    throw designProblems.print_area_not_found()
  }
  const assets = await findAssets(db, design.ownerId, assetIdsOf(document))
  const { widthPx, format } = options
  const content = contentHash({ document, printAreas, assets, fonts })
  const etag = createHash('sha256').update(`${content} ${printAreaId} ${widthPx} ${format}`).digest('base64url')
  const draw = async (): Promise<Uint8Array> => {
    const images = await imagesOf(storage, assets)
    return renderer.preview({ document, printAreas, images, printAreaId, widthPx, format }).catch((error: unknown) => {
      throw toRenderProblem(error)
    })
  }
  return { etag: `"${etag}"`, draw }
}

async function printAreasOf(db: Db, design: Design): Promise<PrintArea[]> {
  if (design.finalization !== null) return JSON.parse(design.finalization.printAreasJson) as PrintArea[]
  return (await findOffer(db, design)).product.printAreas
}

/**
 * The format a client prefers (RFC 9110, 12.5.1); WebP where it does not say.
 *
 * @throws `not_acceptable`
 */
export function previewFormat(accept: string | undefined): PreviewFormat {
  const webp = qualityOf('image/webp', accept)
  const png = qualityOf('image/png', accept)
  if (webp === 0 && png === 0) throw httpProblems.not_acceptable('Previews are image/webp or image/png.')
  return png > webp ? 'png' : 'webp'
}

/** The weight that the most specific matching range of an `Accept` header gives a media type, 0 to 1. */
function qualityOf(mediaType: string, accept = '*/*'): number {
  const wanted = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*']
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
  for (const name of wanted) {
    const range = ranges.find(([type]) => type === name)
    if (range === undefined) continue
    const weight = Number(range.find((part) => part.startsWith('q='))?.slice(2) ?? 1)
    return Number.isFinite(weight) ? weight : 0
  }
  return 0
}
