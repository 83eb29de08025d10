import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { coverOffcuts, type DrawableImage, drawPrintArea } from '../../drawing/engine.ts'
import { PT_PER_MM } from '../../drawing/index.ts'
import { bytesInMemory } from '../images/bytes-in-memory.ts'
import { readCanvasImage } from '../images/canvas-image.ts'
import { withDecoder } from '../images/decoding-memory.ts'
import { uprightSize } from '../images/inspect-image.ts'
import { openImage, openSamples } from '../images/open-image.ts'
import type { PreviewFormat, PreviewJob, PrintJob } from '../types.ts'
import { allEnded } from './all-ended.ts'
import { type DrawnArea, shownAssetIds } from './areas.ts'
import { drawGroup } from './draw-group.ts'
import { drawingFonts, withJobFonts } from './drawing-fonts.ts'
import { withPreviewMemory } from './job-memory.ts'
import { decodeSize, previewSize, type Size } from './preview-size.ts'

/** A preview to draw: the trim box of a print area, as an image of the given size. */
export type PreviewPlan = DrawnArea & { size: Size }

/** The colour of unprinted parts and of the parts that are cut off. */
const PAPER = '#FFFFFF'

const PREVIEW_WIDTH = { min: 16, max: 2000 }

/** Draws one print area on white, as it looks when cut. Returns the encoded image file. */
export async function drawPreview(job: PreviewJob): Promise<Uint8Array> {
  const { printAreaId, widthPx, format } = job
  const printArea = job.printAreas.find(({ id }) => id === printAreaId)
  if (printArea === undefined) throw new RangeError('The product does not have the requested print area')
  if (!(widthPx >= PREVIEW_WIDTH.min && widthPx <= PREVIEW_WIDTH.max)) throw new RangeError('The width is out of range')

  const layers = job.document.placements.find((placement) => placement.printAreaId === printAreaId)?.layers ?? []
  const plan = { printArea, layers, size: previewSize(printArea, widthPx) }
  return withPreviewMemory(job, [plan], async () => {
    // Fonts are opened after the images are decoded, because a process may not have the memory for both.
    const images = await readPreviewImages(job, [plan])
    return withJobFonts(job.fonts, () => encodePreview(drawPlan(job, plan, images), format))
  })
}

/** Decodes the images of the previews. Each image is decoded once, and no larger than the previews need. */
export async function readPreviewImages(
  { images }: PrintJob,
  plans: readonly PreviewPlan[],
): Promise<ReadonlyMap<string, DrawableImage>> {
  const areas = plans.map((plan) => ({ ...plan, pxPerMm: pxPerMm(plan) }))
  const assetIds = shownAssetIds(plans).filter((id) => images[id] !== undefined)
  const found: { id: string; path: string; original: ReturnType<typeof uprightSize>; bytes: number }[] = []
  // One after another, because each may have a profile of megabytes.
  for (const id of assetIds) {
    const path = images[id]?.path ?? ''
    const metadata = await openImage(path).metadata()
    found.push({ id, path, original: uprightSize(metadata), bytes: await bytesInMemory(path, metadata) })
  }
  const entries = found.map(async ({ id, path, original, bytes }) => {
    const { widthPx, heightPx } = decodeSize(id, original, areas, assetIds.length)
    const source = await withDecoder(bytes, () => readCanvasImage(path, widthPx, heightPx))
    return [id, { source, ...original, orientation: 1 as const }] as const
  })
  return new Map(await allEnded(entries))
}

export function drawPlan(job: PrintJob, plan: PreviewPlan, images: ReadonlyMap<string, DrawableImage>): Canvas {
  const { printArea, size } = plan
  const canvas = createCanvas(size.widthPx, size.heightPx)
  const context = canvas.getContext('2d')
  context.fillStyle = PAPER
  context.fillRect(0, 0, size.widthPx, size.heightPx)
  const scale = pxPerMm(plan) / PT_PER_MM
  context.scale(scale, scale)
  const { document, data = {} } = job
  drawPrintArea(context, { document, printArea, fonts: drawingFonts(), images, box: 'trim', data, group: drawGroup })
  coverOffcuts(context, printArea, PAPER)
  return canvas
}

/**
 * Encodes an opaque image. The compression effort is low, because a client waits and a higher effort would save only a
 * few percent.
 */
export async function encodePreview(canvas: Canvas, format: PreviewFormat): Promise<Uint8Array> {
  const { width, height } = canvas
  const picture = openSamples(canvas.data(), { width, height, channels: 4 }).removeAlpha()
  return format === 'webp'
    ? picture.webp({ quality: 82, effort: 0 }).toBuffer()
    : picture.png({ compressionLevel: 2, adaptiveFiltering: true }).toBuffer()
}

function pxPerMm({ printArea, size }: PreviewPlan): number {
  return size.widthPx / printArea.widthMm
}
