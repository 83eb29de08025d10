import { open, stat } from 'node:fs/promises'
import sharp, { type Metadata, type Sharp } from 'sharp'
import { isSrgbProfile } from '../color/is-srgb.ts'
import { MAX_PROFILE_BYTES } from '../color/read-profile.ts'
import { readWithPngProfile, statedPngProfile } from './png-color.ts'

export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/tiff'

export const IMAGE_LIMITS = {
  bytes: 64 * 1024 * 1024,
  pixels: 100_000_000,
  /** The longest side that a JPEG can have. The limit applies to all four file types. */
  sidePx: 65_535,
} as const

// All other loaders of libvips (SVG, PDF, HEIF, GIF, archives of tiles and others) stay blocked, whatever type a file
// claims.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    // Some PNG files state their colours in a way that libvips does not read. The service adds a profile to these files
    // in memory, so they are loaded from a buffer.
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadTiffFile',
  ],
})
sharp.cache(false)
sharp.concurrency(1)

// With these options, decoding rejects a truncated or damaged file. By default, libvips would fill the missing part
// with grey.
const DECODING = { failOn: 'error', limitInputPixels: IMAGE_LIMITS.pixels, sequentialRead: true, pages: 1 } as const

/** Opens the first page of an image file for decoding. The number of pixels is limited. */
export function openImage(path: string, { ignoreIcc = false } = {}): Sharp {
  return sharp(path, { ...DECODING, ignoreIcc })
}

/**
 * Opens an image for reading its samples: upright, with 8 bits per sample, and converted to sRGB from the colours that
 * the file states. If a smaller size is enough, JPEG and WebP are decoded at a fraction of their size.
 *
 * A file of `openedBytes` is in memory while `read` runs, so callers use this function inside of `withDecoder`. `read` must
 * not end before the decoder does, which would read memory that was freed.
 *
 * @param size the size of the upright result, at most that of the upright image
 */
export async function withColors<T>(
  path: string,
  size: { widthPx: number; heightPx: number } | undefined,
  read: (colors: Sharp) => Promise<T>,
): Promise<T> {
  const profile = await statedPngProfile(path)
  if (profile === undefined) return read(await openFile(path, size))
  const file = await readWithPngProfile(path, profile)
  try {
    return await read(await openFile(file, size))
  } finally {
    // V8 would free the file much later, because it hardly needs memory of its own.
    file.buffer.transfer(0)
  }
}

/** Returns how many bytes of a file are in memory while `withColors` reads its samples. */
export async function openedBytes(path: string): Promise<number> {
  return (await statedPngProfile(path)) === undefined ? 0 : (await stat(path)).size
}

async function openFile(file: string | Buffer, size?: { widthPx: number; heightPx: number }): Promise<Sharp> {
  const { space, icc } = await sharp(file, DECODING).metadata()
  // Converting sRGB to sRGB would take longer than all other steps together.
  const ignoreIcc = icc !== undefined && (isHugeProfile({ icc }) || isSrgbProfile(icc))
  const upright = atEightBits(sharp(file, { ...DECODING, ignoreIcc }), space).autoOrient()
  const sized = size === undefined ? upright : upright.resize(size.widthPx, size.heightPx, { fit: 'fill' })
  return sized.toColourspace('srgb')
}

/**
 * Converts 16-bit images to 8 bits first. Otherwise sharp would convert RGB to Display P3, and would not convert greys.
 */
function atEightBits(image: Sharp, space: string): Sharp {
  if (space === 'rgb16') return image.pipelineColourspace('srgb')
  return space === 'grey16' ? image.pipelineColourspace('b-w') : image
}

/** Opens decoded samples as an image. The rows are in order from the top. */
export function openSamples(samples: Buffer, raw: { width: number; height: number; channels: 1 | 3 | 4 }): Sharp {
  return sharp(samples, { raw, limitInputPixels: IMAGE_LIMITS.pixels })
}

/**
 * Whether a profile is larger than `MAX_PROFILE_BYTES`. Uploads with one are refused. Older uploads are decoded without
 * it, because a conversion takes several times its size of memory.
 */
export function isHugeProfile({ icc }: Pick<Metadata, 'icc'>): boolean {
  return icc !== undefined && icc.length > MAX_PROFILE_BYTES
}

/** Detects the type of a file from its first bytes. Returns undefined if it is none of the four supported types. */
export async function sniffMediaType(path: string): Promise<ImageMediaType | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0)
    return mediaTypeOf(buffer.subarray(0, bytesRead).toString('latin1'))
  } finally {
    await file.close()
  }
}

function mediaTypeOf(head: string): ImageMediaType | undefined {
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp'
  // TIFF starts with a byte order (`II` or `MM`) and a version: `*` for classic TIFF, `+` for BigTIFF.
  if (/^(?:II[*+]\0|MM\0[*+])/.test(head)) return 'image/tiff'
  return undefined
}
