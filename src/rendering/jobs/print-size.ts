import { fitAsset } from '../../drawing/engine.ts'
import type { SizeInPrint } from '../images/print-image.ts'
import type { DrawnArea } from './areas.ts'

/** An image is reduced if its resolution is more than this multiple of the target resolution of the print area. */
const MAX_OVERSAMPLING = 1.5

/**
 * Returns a function that computes how many pixels of an image are needed in print. If every layer shows the image with
 * more than `MAX_OVERSAMPLING` times the target resolution, the result is the number of pixels that the largest layer
 * needs. Otherwise the result is all pixels.
 */
export function sizeInPrint(assetId: string, areas: readonly DrawnArea[]): SizeInPrint {
  return (original) => {
    let [x, y] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const { printArea, layers } of areas) {
      for (const layer of layers) {
        const fitted = fitAsset(layer, assetId, original)
        if (fitted === undefined) continue
        x = Math.min(x, fitted.dpiX / printArea.targetDpi)
        y = Math.min(y, fitted.dpiY / printArea.targetDpi)
      }
    }
    if (!(Math.min(x, y) > MAX_OVERSAMPLING)) return original
    return { widthPx: reduced(original.widthPx, x), heightPx: reduced(original.heightPx, y) }
  }
}

// The tolerance prevents a rounding error from adding a pixel.
function reduced(pixels: number, oversampling: number): number {
  return Math.min(pixels, Math.max(1, Math.ceil(pixels / oversampling - 1e-6)))
}
