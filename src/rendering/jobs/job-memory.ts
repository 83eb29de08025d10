import { stat } from 'node:fs/promises'
import type { Metadata } from 'sharp'
import { bytesInMemory, MAX_DECODING_BYTES } from '../images/decoding-memory.ts'
import { uprightSize } from '../images/inspect-image.ts'
import { openImage } from '../images/open-image.ts'
import { withJobMemory } from '../pool/pool-memory.ts'
import type { PrintJob } from '../types.ts'
import { type DrawnArea, shownAssetIds } from './areas.ts'
import { sizeInPrint } from './print-size.ts'

/** A process that draws with fonts needs so many times their bytes, by measurement. */
const COPIES_OF_FONTS = 9
/** A process that writes a print file needs its images, and the file that contains them. */
const COPIES_OF_PRINTED = 2

/** Draws a preview as soon as its share has the memory for its images and fonts. */
export async function withPreviewMemory<T>(
  job: PrintJob,
  areas: readonly DrawnArea[],
  draw: () => Promise<T>,
): Promise<T> {
  const images = await imagesOf(job, areas)
  return withJobMemory(Math.max(decoderBytes(images.map(({ bytes }) => bytes)), await fontBytes(job)), draw)
}

/** Draws a print file and its previews as soon as its share has the memory for its images and fonts. */
export async function withPrintMemory<T>(
  job: PrintJob,
  areas: readonly DrawnArea[],
  draw: () => Promise<T>,
): Promise<T> {
  const images = await imagesOf(job, areas)
  // An image is decoded for the print file and for the previews, possibly at the same time.
  const decoding = decoderBytes(images.flatMap(({ bytes }) => [bytes, bytes]))
  const printed = images.reduce((sum, image) => sum + COPIES_OF_PRINTED * printedBytes(image, areas), 0)
  return withJobMemory(printed + Math.max(decoding, await fontBytes(job)), draw)
}

type ShownImage = { id: string; metadata: Metadata; bytes: number; fileBytes: number }

function imagesOf({ images }: PrintJob, areas: readonly DrawnArea[]): Promise<ShownImage[]> {
  const shown = shownAssetIds(areas).flatMap((id) => {
    const image = images[id]
    return image === undefined ? [] : [{ id, path: image.path }]
  })
  return Promise.all(
    shown.map(async ({ id, path }) => {
      const metadata = await openImage(path).metadata()
      return { id, metadata, bytes: await bytesInMemory(path, metadata), fileBytes: (await stat(path)).size }
    }),
  )
}

/** Returns the most memory of two images that are decoded at the same time, as `withDecoder` permits. */
function decoderBytes(sizes: readonly number[]): number {
  const [largest = 0, second = 0] = sizes.toSorted((one, other) => other - one)
  return Math.max(largest, Math.min(largest + second, MAX_DECODING_BYTES))
}

/** Estimates the size of an image in a print file: that of its file, or that of its samples if it is converted. */
function printedBytes({ id, metadata, fileBytes }: ShownImage, areas: readonly DrawnArea[]): number {
  const { format, space, depth, hasAlpha, isProgressive = false, channels } = metadata
  const original = uprightSize(metadata)
  const { widthPx, heightPx } = sizeInPrint(id, areas)(original)
  const isReduced = widthPx < original.widthPx || heightPx < original.heightPx
  const isPassedOn =
    !isProgressive &&
    ((format === 'jpeg' && space !== 'cmyk') || (format === 'png' && depth === 'uchar' && !hasAlpha && !isReduced))
  return isPassedOn ? fileBytes : widthPx * heightPx * channels
}

async function fontBytes({ fonts = [] }: PrintJob): Promise<number> {
  const sizes = await Promise.all(fonts.map(async ({ path }) => (await stat(path)).size))
  return COPIES_OF_FONTS * sizes.reduce((sum, size) => sum + size, 0)
}
