import type { Asset } from '@platen/client'

/** The longest sides in pixels. The first is quick, the second is about what a stage shows. */
export const SMALL = 400
export const SHARP = 1600

export type PictureSize = typeof SMALL | typeof SHARP

type Size = Pick<Asset, 'widthPx' | 'heightPx'>

/** Returns the number of pixels of an asset whose longest side is reduced to a size. */
export function pixelsAt({ widthPx, heightPx }: Size, size: PictureSize): number {
  const scale = Math.min(1, size / Math.max(widthPx, heightPx))
  return Math.round(widthPx * scale) * Math.round(heightPx * scale)
}

/**
 * Chooses the sizes in which assets are shown, so that their pictures together have no more pixels than `mostPixels`, if
 * that is possible. The first assets get sharp pictures first.
 */
export function chooseSizes(
  assets: readonly (Size & Pick<Asset, 'id'>)[],
  mostPixels: number,
): ReadonlyMap<string, PictureSize> {
  let free = mostPixels - assets.reduce((sum, asset) => sum + pixelsAt(asset, SMALL), 0)
  const sizes = new Map<string, PictureSize>()
  for (const asset of assets) {
    const more = pixelsAt(asset, SHARP) - pixelsAt(asset, SMALL)
    const isSharp = more > 0 && more <= free
    sizes.set(asset.id, isSharp ? SHARP : SMALL)
    if (isSharp) free -= more
  }
  return sizes
}
