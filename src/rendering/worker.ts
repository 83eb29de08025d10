import type { ProfileInfo } from './color/inspect-profile.ts'
import { AssetRefused, FontRefused, ProfileRefused } from './errors.ts'
import { type AssetInfo, inspectImage } from './images/inspect-image.ts'
import { serveJobs } from './pool/serve-jobs.ts'
import type { HashedPrintJob, PreviewJob } from './types.ts'
import type { FontInfo } from './user-fonts/inspect-font.ts'

export type Inspection = { info: AssetInfo } | { refused: Pick<AssetRefused, 'code' | 'detail'> }
export type ProfileInspection = { info: ProfileInfo } | { refused: Pick<ProfileRefused, 'code' | 'detail'> }
export type FontInspection = { info: FontInfo } | { refused: Pick<FontRefused, 'code' | 'detail'> }

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
  async inspectFont(file: { path: string; unpackedPath: string }): Promise<FontInspection> {
    const { inspectFont } = await import('./user-fonts/inspect-font.ts')
    try {
      return { info: await inspectFont(file) }
    } catch (error) {
      // A WebAssembly module that trapped is in no known state, and other jobs would be done with it.
      if (error instanceof Error && error.name === 'RuntimeError') process.abort()
      if (!(error instanceof FontRefused)) throw error
      return { refused: { code: error.code, detail: error.detail } }
    }
  },
  async inspectProfile({ path }: { path: string }): Promise<ProfileInspection> {
    const { inspectProfile } = await import('./color/inspect-profile.ts')
    try {
      return { info: await inspectProfile(path) }
    } catch (error) {
      if (!(error instanceof ProfileRefused)) throw error
      return { refused: { code: error.code, detail: error.detail } }
    }
  },
  async print({ job, outDir }: { job: HashedPrintJob; outDir: string }) {
    const { printDesign } = await import('./jobs/print-design.ts')
    const { withJobFonts } = await import('./jobs/drawing-fonts.ts')
    return withJobFonts(job.fonts, () => printDesign(job, outDir))
  },
  async preview(job: PreviewJob) {
    const { drawPreview } = await import('./jobs/draw-preview.ts')
    const { withJobFonts } = await import('./jobs/drawing-fonts.ts')
    return withJobFonts(job.fonts, () => drawPreview(job))
  },
  async warmUp() {
    const { drawingFonts } = await import('./jobs/drawing-fonts.ts')
    await import('./jobs/print-design.ts')
    drawingFonts()
  },
}

export type RenderJobs = typeof handlers

serveJobs(handlers)
