import type { Metadata } from 'sharp'

type Decoded = Pick<Metadata, 'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive'> &
  Pick<Metadata, 'chromaSubsampling' | 'hasAlpha' | 'orientation'>

const MIB = 1024 * 1024

/** What a decoder holds that goes through an image row by row; found by measurement, as is the rest. */
const ROWS_BYTES = 64 * MIB

/** Samples that a pixel of a JPEG has on average, by how its colours are subsampled. */
const JPEG_SAMPLES: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2, '4:2:0:4': 2.5, '4:2:2:4': 3 }

/**
 * What libvips holds in memory while it decodes an image. Where pixels come in passes over the whole image, that is all of
 * them: a progressive JPEG as coefficients of 16 bits, an interlaced PNG as it is stored, a WebP as RGBA twice.
 */
export function decoderBytes({ format, width, height, channels, depth, ...image }: Decoded): number {
  const pixels = width * height
  if (format === 'webp') return pixels * 8
  if (!image.isProgressive) return ROWS_BYTES
  if (format === 'jpeg') return pixels * 2 * (JPEG_SAMPLES[image.chromaSubsampling ?? ''] ?? channels)
  return pixels * channels * (depth === 'ushort' ? 2 : 1)
}

/** What is held beside that to turn the image upright: rows become columns, or the last come first. */
export function turningBytes({ width, height, hasAlpha, orientation = 1 }: Decoded): number {
  return orientation >= 3 && orientation <= 8 ? width * height * (hasAlpha ? 4 : 3) : 0
}

/** Names the kind of an image that is held as a whole while it is decoded. */
export function wholeKind({ format, isProgressive }: Pick<Decoded, 'format' | 'isProgressive'>): string | undefined {
  if (format === 'webp') return 'a WebP image'
  if (!isProgressive) return undefined
  return format === 'jpeg' ? 'a progressive JPEG' : 'an interlaced image'
}

/**
 * The most that decoding one image may take: with all else that a drawing process holds it stays below the 1024 MiB after
 * which the process is ended. Jobs that decode several images share it.
 */
export const MAX_DECODING_BYTES = 640 * MIB

let inUse = 0
let waiting: (() => void)[] = []

/** Decodes an image when there is memory for it beside the others that are being decoded. */
export async function withDecoder<T>(bytes: number, decode: () => Promise<T>): Promise<T> {
  while (inUse > 0 && inUse + bytes > MAX_DECODING_BYTES) await new Promise<void>((wake) => waiting.push(wake))
  inUse += bytes
  try {
    return await decode()
  } finally {
    inUse -= bytes
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
}
