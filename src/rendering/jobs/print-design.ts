import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HashedPrintJob, RenderedFile } from '../types.ts'
import { type DrawnArea, drawnAreas } from './areas.ts'
import { drawPlan, encodePreview, type PreviewPlan, readPreviewImages } from './draw-preview.ts'
import { drawPrint } from './draw-print.ts'
import { previewSizeByLongSide } from './preview-size.ts'

const PREVIEW_LONG_SIDE_PX = 1200

/** Writes the print file of a design and a preview of each page into a folder. */
export async function printDesign(job: HashedPrintJob, outDir: string): Promise<RenderedFile[]> {
  const areas = drawnAreas(job)
  // Threads decode and compress the previews while the main thread draws the PDF.
  const [print, previews] = await Promise.all([writePrint(job, areas, outDir), writePreviews(job, areas, outDir)])
  return [print, ...previews]
}

async function writePrint(job: HashedPrintJob, areas: DrawnArea[], outDir: string): Promise<RenderedFile> {
  const first = areas[0]?.printArea
  if (first === undefined) throw new Error('The design has no page to print')
  const file = await write(join(outDir, 'print.pdf'), await drawPrint(job, areas, outDir))
  const { widthMm, heightMm } = first
  return { kind: 'print', mediaType: 'application/pdf', ...file, widthMm, heightMm, pages: areas.length }
}

async function writePreviews(job: HashedPrintJob, areas: DrawnArea[], outDir: string): Promise<RenderedFile[]> {
  const plans = areas.map((area) => ({ ...area, size: previewSizeByLongSide(area.printArea, PREVIEW_LONG_SIDE_PX) }))
  const images = await readPreviewImages(job, plans)
  const writePreview = async (plan: PreviewPlan, index: number): Promise<RenderedFile> => {
    const picture = await encodePreview(drawPlan(job, plan, images), 'webp')
    const file = await write(join(outDir, `preview-${index + 1}.webp`), picture)
    const { id: printAreaId, widthMm, heightMm } = plan.printArea
    return { kind: 'preview', printAreaId, mediaType: 'image/webp', ...file, widthMm, heightMm }
  }
  return Promise.all(plans.map(writePreview))
}

async function write(path: string, bytes: Uint8Array) {
  await writeFile(path, bytes)
  return { path, bytes: bytes.length, sha256: hash('sha256', bytes) }
}
