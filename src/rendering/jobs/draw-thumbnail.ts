import type { Sharp } from 'sharp'
import { bytesInMemory } from '../images/bytes-in-memory.ts'
import { withDecoder } from '../images/decoding-memory.ts'
import { uprightSize } from '../images/inspect-image.ts'
import { openImage, withColors } from '../images/open-image.ts'
import { withJobMemory } from '../pool/pool-memory.ts'

/** The longest side of a thumbnail by default. Smaller images keep their size. */
const LONGEST_SIDE_PX = 400

export interface ThumbnailJob {
  path: string
  longestSidePx?: number
  format?: 'webp' | 'png' | 'jpeg'
}

/**
 * Draws the thumbnail of an image, upright and in sRGB: WebP or PNG with its transparency, or JPEG on white, for programs
 * that do not show WebP.
 */
export async function drawThumbnail({
  path,
  longestSidePx = LONGEST_SIDE_PX,
  format = 'webp',
}: ThumbnailJob): Promise<Uint8Array> {
  const metadata = await openImage(path).metadata()
  const { widthPx, heightPx } = uprightSize(metadata)
  const scale = Math.min(1, longestSidePx / Math.max(widthPx, heightPx))
  const scaled = (sidePx: number): number => Math.max(1, Math.round(sidePx * scale))
  const size = { widthPx: scaled(widthPx), heightPx: scaled(heightPx) }
  const draw = () => withColors(path, size, (colors) => encode(colors, format).toBuffer())
  const bytes = await bytesInMemory(path, metadata)
  return withJobMemory(bytes, () => withDecoder(bytes, draw))
}

function encode(colors: Sharp, format: 'webp' | 'png' | 'jpeg'): Sharp {
  if (format === 'webp') return colors.webp({ quality: 80 })
  if (format === 'png') return colors.png()
  return colors.flatten({ background: '#ffffff' }).jpeg({ quality: 82 })
}
