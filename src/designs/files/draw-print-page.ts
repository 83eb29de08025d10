import type { Storage } from '../../platform/storage/index.ts'
import type { JobOptions, Renderer } from '../../rendering/index.ts'
import { toRenderProblem } from './render-input.ts'

export interface PrintPageDeps {
  storage: Pick<Storage, 'localPath'>
  renderer: Pick<Renderer, 'printPage'>
}

/** A page of a stored print file, as the picture of `widthPx` that shows it. Pages count from 1. */
export interface PrintPage {
  sha256: string
  page: number
  widthPx: number
}

/**
 * Draws a page of a stored print file as WebP, from the file itself.
 *
 * @returns undefined if the file has fewer pages
 * @throws `render_failed`, `renderer_busy`, `storage_unavailable`
 */
export async function drawPrintPage(
  { storage, renderer }: PrintPageDeps,
  { sha256, page, widthPx }: PrintPage,
  options: JobOptions,
): Promise<Uint8Array | undefined> {
  const path = await storage.localPath(sha256)
  return renderer.printPage({ path, sha256, page, widthPx }, options).catch((error: unknown) => {
    throw toRenderProblem(error)
  })
}
