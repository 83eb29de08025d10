import { hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { PDFDocument, type SKRSContext2D } from '@napi-rs/canvas'
import { type DrawableImage, drawPrintArea } from '../../drawing/engine.ts'
import { type PrintArea, PT_PER_MM } from '../../drawing/index.ts'
import { RENDERER_VERSION } from '../content-hash.ts'
import { type PrintImage, readPrintImage } from '../images/print-image.ts'
import { readVerified } from '../images/read-verified.ts'
import { recordTexts } from '../pdf/actual-text.ts'
import { drawCutPath } from '../pdf/cut-path.ts'
import { finishPdf, type PrintPage } from '../pdf/finish-pdf.ts'
import { createPlaceholderImage } from '../pdf/placeholder-images.ts'
import type { HashedPrintJob, PrintJob, SheetJob } from '../types.ts'
import { type DrawnArea, drawnAreas, shownAssetIds } from './areas.ts'
import { drawGroup } from './draw-group.ts'
import { drawingFonts, glyphClusters } from './drawing-fonts.ts'
import { sizeInPrint } from './print-size.ts'

/** Draws the print PDF: one page per area, with vector shapes and text, and with images in their own resolution. */
export function drawPrint(
  job: HashedPrintJob,
  areas: readonly DrawnArea[],
  images: readonly PrintImage[],
): Promise<Uint8Array> {
  return drawPdf(job, areas, { images })
}

/**
 * Draws a PDF that is not a print file, such as a pick list. The PDF also conforms to PDF/X-4, and any reader can show
 * it.
 */
export async function drawSheet(job: SheetJob): Promise<Uint8Array> {
  const contentHash = hash('sha256', JSON.stringify(job.document))
  const areas = drawnAreas(job)
  const images = await readPrintImages(job, areas, tmpdir())
  return drawPdf({ ...job, contentHash }, areas, { images, title: job.title })
}

/**
 * Reads the images of a print PDF, in the order in which the areas show them.
 *
 * @param workDir folder for temporary files
 */
export async function readPrintImages(
  job: PrintJob,
  areas: readonly DrawnArea[],
  workDir: string,
): Promise<PrintImage[]> {
  const images: PrintImage[] = []
  // Images are read one after another, because converting a large image takes several hundred megabytes of memory.
  for (const id of shownAssetIds(areas)) images.push(await readJobImage(job, id, areas, workDir))
  return images
}

async function drawPdf(
  job: HashedPrintJob,
  areas: readonly DrawnArea[],
  { images, title }: { images: readonly PrintImage[]; title?: string },
): Promise<Uint8Array> {
  const assetIds = shownAssetIds(areas)
  const placeholders = new Map(images.map((image, index) => [assetIds[index] ?? '', placeholderFor(image, index)]))
  const pdf = new PDFDocument({ compressionLevel: 0 })
  const pages = areas.map(({ printArea }) => drawPage(pdf, job, printArea, placeholders))
  const { contentHash, outputProfile } = job
  return finishPdf(pdf.close(), {
    ...(title === undefined ? {} : { title }),
    pages,
    images,
    producer: `Platen ${RENDERER_VERSION}`,
    contentHash,
    outputProfile: outputProfile && (await readVerified(outputProfile)),
  })
}

function drawPage(
  pdf: PDFDocument,
  { document, data = {} }: PrintJob,
  printArea: PrintArea,
  images: ReadonlyMap<string, DrawableImage>,
): PrintPage {
  const { shape = 'rectangle', cutPath } = printArea
  const bleedPt = printArea.bleedMm * PT_PER_MM
  const widthPt = printArea.widthMm * PT_PER_MM
  const heightPt = printArea.heightMm * PT_PER_MM
  // Skia rounds the page height up to whole points and measures from the top, while a PDF measures from the bottom. The
  // translation shifts the content by the difference.
  const pageHeight = heightPt + 2 * bleedPt
  const wholeHeight = Math.ceil(pageHeight)
  // The declared type lacks drawImage, although the object has this method.
  const context = pdf.beginPage(Math.ceil(widthPt + 2 * bleedPt), wholeHeight) as SKRSContext2D
  context.translate(0, wholeHeight - pageHeight)
  const { texts, group } = recordTexts(context, glyphClusters, drawGroup)
  drawPrintArea(context, { document, printArea, fonts: drawingFonts(), images, box: 'bleed', data, group })
  pdf.endPage()
  return { widthPt, heightPt, bleedPt, texts, decorators: cutPath === 'spot' ? [drawCutPath(shape)] : [] }
}

function readJobImage(
  job: PrintJob,
  assetId: string,
  areas: readonly DrawnArea[],
  workDir: string,
): Promise<PrintImage> {
  const image = job.images[assetId]
  if (image === undefined) throw new Error(`The job names no file for the image ${assetId}`)
  return readPrintImage(image.path, image.sha256, sizeInPrint(assetId, areas), workDir)
}

function placeholderFor(image: PrintImage, index: number): DrawableImage {
  const { widthPx, heightPx, orientation } = image
  const upright = orientation >= 5 ? { widthPx: heightPx, heightPx: widthPx } : { widthPx, heightPx }
  return { source: createPlaceholderImage(index), ...upright, orientation }
}
