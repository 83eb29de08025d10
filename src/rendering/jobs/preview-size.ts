import { fitAsset } from '../../drawing/engine.ts'
import type { PrintArea } from '../../drawing/index.ts'
import type { DrawnArea } from './areas.ts'

export type Size = { widthPx: number; heightPx: number }

/**
 * The longest side of a preview. Without this limit, the preview of a very narrow print area could have a billion
 * pixels.
 */
const MAX_SIDE_PX = 4000

/**
 * Computes the size of a preview in pixels. The preview has the width `widthPx`, or less if a side would exceed the
 * limit.
 */
export function previewSize({ widthMm, heightMm }: PrintArea, widthPx: number): Size {
  const pxPerMm = Math.min(widthPx / widthMm, MAX_SIDE_PX / Math.max(widthMm, heightMm))
  return { widthPx: atLeastOne(widthMm * pxPerMm), heightPx: atLeastOne(heightMm * pxPerMm) }
}

export function previewSizeByLongSide({ widthMm, heightMm }: PrintArea, longSidePx: number): Size {
  const pxPerMm = longSidePx / Math.max(widthMm, heightMm)
  return { widthPx: atLeastOne(widthMm * pxPerMm), heightPx: atLeastOne(heightMm * pxPerMm) }
}

/**
 * The most decoded pixels of all images of a job together. If a job would exceed this limit, its images are decoded at
 * a lower resolution.
 */
const PIXEL_BUDGET = 48_000_000

/**
 * Computes the size at which an image is decoded for previews: large enough for the layer that shows it largest, at
 * most the size of the original, and within its share of `PIXEL_BUDGET`.
 *
 * @param image upright size in pixels
 * @param areas print areas that may show the image, with the resolution of each preview
 */
export function decodeSize(
  assetId: string,
  image: Size,
  areas: readonly (DrawnArea & { pxPerMm: number })[],
  imageCount: number,
): Size {
  let [x, y] = [0, 0]
  for (const { layers, pxPerMm } of areas) {
    for (const layer of layers) {
      const fitted = fitAsset(layer, assetId, image)
      if (fitted === undefined) continue
      x = Math.max(x, (fitted.whole.width * pxPerMm) / image.widthPx)
      y = Math.max(y, (fitted.whole.height * pxPerMm) / image.heightPx)
    }
  }
  const width = Math.min(1, x) * image.widthPx
  const height = Math.min(1, y) * image.heightPx
  const thrift = Math.min(1, Math.sqrt(PIXEL_BUDGET / imageCount / Math.max(1, width * height)))
  return { widthPx: atLeastOne(width * thrift), heightPx: atLeastOne(height * thrift) }
}

function atLeastOne(pixels: number): number {
  return Math.max(1, Math.round(pixels))
}
