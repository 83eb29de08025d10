import { AssetRefused } from './errors.ts'
import { type AssetInfo, inspectImage } from './images/inspect-image.ts'
import { serveJobs } from './pool/serve-jobs.ts'
import type { HashedPrintJob, PreviewJob } from './types.ts'

export type Inspection = { info: AssetInfo } | { refused: Pick<AssetRefused, 'code' | 'detail'> }

// Drawing is loaded when first needed: an upload need not wait for fonts and PDF.
const handlers = {
  async inspect({ path }: { path: string }): Promise<Inspection> {
    try {
      return { info: await inspectImage(path) }
    } catch (error) {
      if (!(error instanceof AssetRefused)) throw error
      return { refused: { code: error.code, detail: error.detail } }
    }
  },
  async print({ job, outDir }: { job: HashedPrintJob; outDir: string }) {
    const { printDesign } = await import('./jobs/print-design.ts')
    return printDesign(job, outDir)
  },
  async preview(job: PreviewJob) {
    const { drawPreview } = await import('./jobs/draw-preview.ts')
    return drawPreview(job)
  },
  async warmUp() {
    const { drawingFonts } = await import('./jobs/drawing-fonts.ts')
    await import('./jobs/print-design.ts')
    drawingFonts()
  },
}

export type RenderJobs = typeof handlers

serveJobs(handlers)
