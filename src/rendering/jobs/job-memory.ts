import { stat } from 'node:fs/promises'
import type { Metadata } from 'sharp'
import { bytesInMemory } from '../images/bytes-in-memory.ts'
import { MAX_DECODING_BYTES } from '../images/decoding-memory.ts'
import { uprightSize } from '../images/inspect-image.ts'
import { openImage } from '../images/open-image.ts'
import { isUnderstood } from '../images/print-image.ts'
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
  const printed = images.reduce((sum, image) => sum + COPIES_OF_PRINTED * image.printedBytes, 0)
  return withJobMemory(printed + Math.max(decoding, await fontBytes(job)), draw)
}

/** The memory of an image: for decoding it, and in a print file. */
type ShownImage = { bytes: number; printedBytes: number }

async function imagesOf({ images }: PrintJob, areas: readonly DrawnArea[]): Promise<ShownImage[]> {
  const shown: ShownImage[] = []
  // One after another, because each may have a profile of megabytes.
  for (const id of shownAssetIds(areas)) {
    const path = images[id]?.path
    if (path === undefined) continue
    const metadata = await openImage(path).metadata()
    const fileBytes = (await stat(path)).size
    const inPrint = printedBytes({ metadata, fileBytes }, sizeInPrint(id, areas)(uprightSize(metadata)))
    shown.push({ bytes: await bytesInMemory(path, metadata), printedBytes: inPrint })
  }
  return shown
}

/** Returns the most memory of two images that are decoded at the same time, as `withDecoder` permits. */
function decoderBytes(sizes: readonly number[]): number {
  const [largest = 0, second = 0] = sizes.toSorted((one, other) => other - one)
  return Math.max(largest, Math.min(largest + second, MAX_DECODING_BYTES))
}

/**
 * Estimates the size of an image in a print file: that of its file if `readPrintImage` probably leaves it unchanged, or else
 * that of its samples.
 */
function printedBytes(
  { metadata, fileBytes }: { metadata: Metadata; fileBytes: number },
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
): number {
  const { format, space, hasAlpha, isPalette, bitsPerSample, isProgressive = false, channels, icc } = metadata
  const isUnchangedJpeg = format === 'jpeg' && space !== 'cmyk'
  const isReduced = widthPx * heightPx < metadata.width * metadata.height
  const isPlainPng = format === 'png' && bitsPerSample === 8 && !isPalette && !hasAlpha && !isProgressive
  const isUnchanged = isUnchangedJpeg || (isPlainPng && !isReduced)
  const keepsProfile = isUnderstood({ icc, components: channels < 3 ? 1 : 3 })
  return isUnchanged && keepsProfile ? fileBytes + (icc?.length ?? 0) : widthPx * heightPx * channels
}

async function fontBytes({ fonts = [] }: PrintJob): Promise<number> {
  const sizes = await Promise.all(fonts.map(async ({ path }) => (await stat(path)).size))
  return COPIES_OF_FONTS * sizes.reduce((sum, size) => sum + size, 0)
}
