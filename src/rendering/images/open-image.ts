import { open, readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { isSrgbProfile } from '../color/is-srgb.ts'
import { statedPngProfile, withPngProfile } from './png-color.ts'

export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/tiff'

export const IMAGE_LIMITS = {
  bytes: 64 * 1024 * 1024,
  pixels: 100_000_000,
  /** The longest side JPEG can hold, kept for all four types. */
  sidePx: 65_535,
} as const

// Everything else libvips reads (SVG, PDF, HEIF, GIF, archives of tiles ...) stays closed, whatever a file claims to be.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    // For those whose colours are stated in a way that libvips does not read.
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadTiffFile',
  ],
})
sharp.cache(false)
sharp.concurrency(1)

// A file that is cut short or damaged makes the decoding reject instead of filling in grey.
const DECODING = { failOn: 'error', limitInputPixels: IMAGE_LIMITS.pixels, sequentialRead: true, pages: 1 } as const

/** Opens the first page of an image file for decoding, with its pixels bounded. */
export function openImage(path: string, { ignoreIcc = false } = {}): Sharp {
  return sharp(path, { ...DECODING, ignoreIcc })
}

/**
 * Opens an image for reading its samples: upright, 8 bits each, converted to sRGB from whatever colours the file states.
 * `size` is that of the upright image and not larger than it. JPEG and WebP are decoded at a fraction if that is enough.
 */
export async function openColors(path: string, size?: { widthPx: number; heightPx: number }): Promise<Sharp> {
  const profile = await statedPngProfile(path)
  const file = profile === undefined ? path : withPngProfile(await readFile(path), profile)
  const { space, icc } = await sharp(file, DECODING).metadata()
  // Converting from sRGB to sRGB would take longer than all the rest.
  const ignoreIcc = icc !== undefined && isSrgbProfile(icc)
  const upright = atEightBits(sharp(file, { ...DECODING, ignoreIcc }), space).autoOrient()
  const sized = size === undefined ? upright : upright.resize(size.widthPx, size.heightPx, { fit: 'fill' })
  return sized.toColourspace('srgb')
}

/** Of 16 bits, sharp would convert colours to Display P3 and leave them there, and greys not at all. */
function atEightBits(image: Sharp, space: string): Sharp {
  if (space === 'rgb16') return image.pipelineColourspace('srgb')
  return space === 'grey16' ? image.pipelineColourspace('b-w') : image
}

/** Takes decoded samples, rows from the top. */
export function openSamples(samples: Buffer, raw: { width: number; height: number; channels: 1 | 3 | 4 }): Sharp {
  return sharp(samples, { raw, limitInputPixels: IMAGE_LIMITS.pixels })
}

/** Tells the type of a file by its first bytes; undefined when it is none of the four. */
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
  // Little- and big-endian, each classic and BigTIFF.
  if (/^(?:II[*+]\0|MM\0[*+])/.test(head)) return 'image/tiff'
  return undefined
}
