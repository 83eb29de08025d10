import { type Layer, PT_PER_MM } from '../drawing/index.ts'
import { Refused } from './errors.ts'
import { inspectImage } from './images/inspect-image.ts'
import type { PrintPageJob } from './jobs/draw-print-page.ts'
import type { ThumbnailJob } from './jobs/draw-thumbnail.ts'
import type { FilesToMerge } from './jobs/merge-print-files.ts'
import type { MergeJob } from './jobs/merge-sheets.ts'
import { serveJobs } from './pool/serve-jobs.ts'
import type { HashedPrintJob, PreviewJob, SheetJob } from './types.ts'

/**
 * The result of an inspection. A rejection is a value and not an error, because errors lose their class when they pass
 * between processes.
 */
export type Examined<Info> = { info: Info } | { refused: { code: string; detail: string } }

// The handlers of the jobs. They load the drawing code themselves, so that a fault in it fails only their job.
const handlers = {
  async inspect({ path }: { path: string }) {
    return examined(inspectImage(path))
  },
  async inspectFont(file: { path: string; unpackedPath: string }) {
    const { inspectFont } = await import('./user-fonts/inspect-font.ts')
    return examined(inspectFont(file))
  },
  async inspectProfile({ path }: { path: string }) {
    const { inspectProfile } = await import('./inspect-profile.ts')
    return examined(inspectProfile(path))
  },
  async print({ job, outDir }: { job: HashedPrintJob; outDir: string }) {
    const { printDesign } = await import('./jobs/print-design.ts')
    return printDesign(job, outDir)
  },
  async sheet(job: SheetJob) {
    const { drawSheet } = await import('./jobs/draw-print.ts')
    return drawSheet(job)
  },
  async mergeSheets(job: MergeJob) {
    const { mergeSheets } = await import('./jobs/merge-sheets.ts')
    return mergeSheets(job)
  },
  async mergePrintFiles({ job, outDir }: { job: FilesToMerge; outDir: string }) {
    const { mergePrintFiles } = await import('./jobs/merge-print-files.ts')
    return mergePrintFiles(job, outDir)
  },
  async printPage(job: PrintPageJob) {
    const { drawPrintPage } = await import('./jobs/draw-print-page.ts')
    return drawPrintPage(job)
  },
  async textHeights({ layers }: { layers: readonly Layer[] }) {
    const { layoutText } = await import('../drawing/engine.ts')
    const { drawingFonts } = await import('./jobs/drawing-fonts.ts')
    const heightOf = (layer: Layer) =>
      layer.type === 'text' ? layoutText(layer, drawingFonts()).heightPt / PT_PER_MM : layer.height
    return layers.map(heightOf)
  },
  async preview(job: PreviewJob) {
    const { drawPreview } = await import('./jobs/draw-preview.ts')
    return drawPreview(job)
  },
  async thumbnail(job: ThumbnailJob) {
    const { drawThumbnail } = await import('./jobs/draw-thumbnail.ts')
    return examined(drawThumbnail(job))
  },
  async warmUp() {
    const { drawingFonts } = await import('./jobs/drawing-fonts.ts')
    await import('./jobs/print-design.ts')
    drawingFonts()
  },
}

export type RenderJobs = typeof handlers

async function examined<Info>(examining: Promise<Info>): Promise<Examined<Info>> {
  try {
    return { info: await examining }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { refused: { code: error.code, detail: error.detail } }
  }
}

// Loads code and fonts before the first job, whose owner would be charged for this time. If it fails, the job fails too
// and states the reason.
await handlers.warmUp().catch(() => undefined)
serveJobs(handlers)
