import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DrawableImage } from '../../drawing/engine.ts'
import type { PrintImage } from '../images/print-image.ts'
import type { HashedPrintJob, RenderedFile } from '../types.ts'
import { allEnded } from './all-ended.ts'
import { type DrawnArea, drawnAreas } from './areas.ts'
import { drawPlan, encodePreview, type PreviewPlan, readPreviewImages } from './draw-preview.ts'
import { drawPrint, readPrintImages } from './draw-print.ts'
import { withJobFonts } from './drawing-fonts.ts'
import { withPrintMemory } from './job-memory.ts'
import { previewSizeByLongSide } from './preview-size.ts'

const PREVIEW_LONG_SIDE_PX = 1200

/** Writes the print file of a design and a preview of each page into a folder. */
export async function printDesign(job: HashedPrintJob, outDir: string): Promise<RenderedFile[]> {
  const areas = drawnAreas(job)
  const plans = areas.map((area) => ({ ...area, size: previewSizeByLongSide(area.printArea, PREVIEW_LONG_SIDE_PX) }))
  return withPrintMemory(job, areas, async () => {
    // Threads decode the images of the previews while the main thread compresses those of the print file.
    const reading = [readPrintImages(job, areas, outDir), readPreviewImages(job, plans)] as const
    const [printImages, previewImages] = await allEnded(reading)
    // Fonts are opened after the images are decoded, because a process may not have the memory for both.
    return withJobFonts(job.fonts, async () => {
      // Threads compress the previews while the main thread draws the PDF.
      const print = writePrint(job, areas, printImages, outDir)
      const [file, previews] = await allEnded([print, writePreviews(job, plans, previewImages, outDir)])
      return [file, ...previews]
    })
  })
}

async function writePrint(
  job: HashedPrintJob,
  areas: readonly DrawnArea[],
  images: readonly PrintImage[],
  outDir: string,
): Promise<RenderedFile> {
  const first = areas[0]?.printArea
  if (first === undefined) throw new Error('The design has no page to print')
  const file = await write(join(outDir, 'print.pdf'), await drawPrint(job, areas, images))
  const { widthMm, heightMm } = first
  return { kind: 'print', mediaType: 'application/pdf', ...file, widthMm, heightMm, pages: areas.length }
}

function writePreviews(
  job: HashedPrintJob,
  plans: readonly PreviewPlan[],
  images: ReadonlyMap<string, DrawableImage>,
  outDir: string,
): Promise<RenderedFile[]> {
  const writePreview = async (plan: PreviewPlan, index: number): Promise<RenderedFile> => {
    const picture = await encodePreview(drawPlan(job, plan, images), 'webp')
    const file = await write(join(outDir, `preview-${index + 1}.webp`), picture)
    const { id: printAreaId, widthMm, heightMm } = plan.printArea
    return { kind: 'preview', printAreaId, mediaType: 'image/webp', ...file, widthMm, heightMm }
  }
  return allEnded(plans.map(writePreview))
}

async function write(path: string, bytes: Uint8Array) {
  await writeFile(path, bytes)
  return { path, bytes: bytes.length, sha256: hash('sha256', bytes) }
}
