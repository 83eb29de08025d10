import { type LayerInput, layerAssetIds, normalizeLayer } from '../../drawing/index.ts'
import { isDamage, type Storage } from '../../platform/storage/index.ts'
import type { JobImage, JobOptions, Renderer } from '../../rendering/index.ts'
import { toRenderProblem } from '../files/render-input.ts'

/** The dependencies of laying out and drawing sheets. */
export interface SheetDeps {
  storage: Pick<Storage, 'localPath'>
  renderer: Pick<Renderer, 'sheet' | 'textHeights' | 'mergeSheets'>
}

export type SheetLayer = LayerInput

/** Pages for operators, such as a pick list. The same code draws sheets and designs, but sheets have no preflight. */
export interface Sheet {
  /** Title of the PDF, in ASCII. */
  title: string
  widthMm: number
  heightMm: number
  /** Layers of each page, bottom to top. The `assetId` of an image is the SHA-256 of its file in the storage. */
  pages: SheetLayer[][]
}

/** Resolution of images. It suffices to recognize an image, because a sheet is not a print file. */
const PICTURE_DPI = 200

/**
 * Draws a sheet as a PDF. Images whose bytes are missing are left out.
 *
 * @throws errors of the renderer; see `sheetProblemOf`
 */
export async function drawSheet(
  { storage, renderer }: SheetDeps,
  sheet: Sheet,
  options: JobOptions,
): Promise<Uint8Array> {
  const { title, widthMm, heightMm, pages } = sheet
  const images = await picturesOf(storage, pages.flat())
  const isShown = (layer: SheetLayer) => layerAssetIds(layer).every((id) => Object.hasOwn(images, id))
  const placements = pages.map((layers, page) => ({
    printAreaId: `page-${page + 1}`,
    layers: layers.filter(isShown).map(normalizeLayer),
  }))
  const printAreas = placements.map(({ printAreaId }) => ({
    ...{ id: printAreaId, name: printAreaId, widthMm, heightMm },
    ...{ bleedMm: 0, safeMarginMm: 0, targetDpi: PICTURE_DPI, required: false },
  }))
  const job = { title, document: { version: 1 as const, placements }, printAreas, images }
  return renderer.sheet(job, options)
}

/**
 * Joins the pages of several PDFs.
 *
 * @throws errors of the renderer; see `sheetProblemOf`
 */
export function mergeSheets(
  { renderer }: Pick<SheetDeps, 'renderer'>,
  title: string,
  pdfs: readonly Uint8Array[],
  options: JobOptions,
): Promise<Uint8Array> {
  return renderer.mergeSheets({ title, pdfs }, options)
}

/** Maps an error of the renderer to `renderer_busy`, `render_failed` or `storage_unavailable`. */
export function sheetProblemOf(error: unknown): unknown {
  return toRenderProblem(error)
}

async function picturesOf(
  storage: SheetDeps['storage'],
  layers: readonly SheetLayer[],
): Promise<Record<string, JobImage>> {
  const sha256s = new Set(layers.flatMap(layerAssetIds))
  const entries = Array.from(sha256s, async (sha256) => {
    try {
      return [[sha256, { path: await storage.localPath(sha256), sha256 }] as const]
    } catch (error) {
      if (isDamage(error)) return []
      throw error
    }
  })
  return Object.fromEntries((await Promise.all(entries)).flat())
}

/**
 * Measures texts at the width of their boxes.
 *
 * @returns heights in millimetres
 * @throws errors of the renderer; see `sheetProblemOf`
 */
export async function textHeights(
  { renderer }: { renderer: Pick<Renderer, 'textHeights'> },
  texts: readonly SheetLayer[],
  options: JobOptions,
): Promise<number[]> {
  return renderer.textHeights(texts.map(normalizeLayer), options)
}
