import { uprightSize } from '../images/inspect-image.ts'
import { openColors, openImage } from '../images/open-image.ts'

/** The longest side of a thumbnail by default. Smaller images keep their size. */
const LONGEST_SIDE_PX = 400

/** Draws the thumbnail of an image: WebP, upright, in sRGB, with its transparency. */
export async function drawThumbnail({
  path,
  longestSidePx = LONGEST_SIDE_PX,
}: {
  path: string
  longestSidePx?: number
}): Promise<Uint8Array> {
  const { widthPx, heightPx } = uprightSize(await openImage(path).metadata())
  const scale = Math.min(1, longestSidePx / Math.max(widthPx, heightPx))
  const scaled = (sidePx: number): number => Math.max(1, Math.round(sidePx * scale))
  const colors = await openColors(path, { widthPx: scaled(widthPx), heightPx: scaled(heightPx) })
  return colors.webp({ quality: 80 }).toBuffer()
}
