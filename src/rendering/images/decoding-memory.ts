import type { Metadata } from 'sharp'

export type Decoded = Pick<Metadata, 'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive'> &
  Pick<Metadata, 'chromaSubsampling' | 'hasAlpha' | 'orientation'>

const MIB = 1024 * 1024

/** The memory of a decoder that processes an image row by row. The numbers in this file come from measurements. */
const ROWS_BYTES = 64 * MIB

/** The average number of samples per pixel of a JPEG, by its chroma subsampling. */
const JPEG_SAMPLES: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2, '4:2:0:4': 2.5, '4:2:2:4': 3 }

/**
 * Estimates the memory that libvips needs to decode an image. Formats that store pixels in several passes over the
 * image need memory for all pixels: a progressive JPEG as 16-bit coefficients, an interlaced PNG in its stored format,
 * and a WebP twice as RGBA.
 */
export function decoderBytes({ format, width, height, channels, depth, ...image }: Decoded): number {
  const pixels = width * height
  if (format === 'webp') return pixels * 8
  if (!image.isProgressive) return ROWS_BYTES
  if (format === 'jpeg') return pixels * 2 * (JPEG_SAMPLES[image.chromaSubsampling ?? ''] ?? channels)
  return pixels * channels * (depth === 'ushort' ? 2 : 1)
}

/**
 * Returns the memory to claim for decoding an image. libvips may read a TIFF in strips as large as the image, which its
 * metadata does not say, so a TIFF claims the memory for all samples.
 */
export function claimedBytes(image: Decoded): number {
  if (image.format !== 'tiff') return decoderBytes(image)
  const samples = image.width * image.height * image.channels
  return Math.max(ROWS_BYTES, Math.min(samples * (image.depth === 'ushort' ? 2 : 1), MAX_DECODING_BYTES))
}

/**
 * Estimates the additional memory for making the image upright. Rotating an image or mirroring it vertically needs all
 * decoded pixels in memory.
 */
export function turningBytes({ width, height, hasAlpha, orientation = 1 }: Decoded): number {
  return orientation >= 3 && orientation <= 8 ? width * height * (hasAlpha ? 4 : 3) : 0
}

/**
 * Describes an image whose decoder needs all pixels in memory, for an error message. Returns undefined for other
 * images.
 */
export function wholeKind({ format, isProgressive }: Pick<Decoded, 'format' | 'isProgressive'>): string | undefined {
  if (format === 'webp') return 'a WebP image'
  if (!isProgressive) return undefined
  return format === 'jpeg' ? 'a progressive JPEG' : 'an interlaced image'
}

/**
 * The limit for the memory of all decoders in a process. With this limit, a drawing process stays below 1024 MiB in total,
 * at which it would be ended. Images that are decoded at the same time share the limit.
 */
export const MAX_DECODING_BYTES = 640 * MIB

/** The threads of a process (`UV_THREADPOOL_SIZE`). Further images would only wait for a thread, with their memory. */
const MOST_AT_ONCE = 2

let decoding = 0
let inUse = 0
let waiting: (() => void)[] = []

/**
 * Decodes an image as soon as a thread and enough memory are free in this process. Until then, waits for other images that
 * are being decoded. Jobs with designs and files of
 * customers have claimed their memory from the pool before (`withJobMemory`).
 */
export async function withDecoder<T>(bytes: number, decode: () => Promise<T>): Promise<T> {
  const isFree = () => decoding < MOST_AT_ONCE && (inUse === 0 || inUse + bytes <= MAX_DECODING_BYTES)
  while (!isFree()) await new Promise<void>((wake) => waiting.push(wake))
  decoding += 1
  inUse += bytes
  try {
    return await decode()
  } finally {
    decoding -= 1
    inUse -= bytes
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
}
