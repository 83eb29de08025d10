import { fitAsset } from '../../drawing/engine.ts'
import type { SizeInPrint } from '../images/print-image.ts'
import type { DrawnArea } from './areas.ts'

/** An image keeps its pixels up to this multiple of the resolution that its print area asks for. */
const MAX_OVERSAMPLING = 1.5

/**
 * Computes how many pixels of an image its print can show. If every layer shows it with more than 1.5 times the
 * resolution of the print area, these are the pixels that the largest one needs; otherwise all.
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

// Prevents rounding errors from adding a pixel to a whole size.
function reduced(pixels: number, oversampling: number): number {
  return Math.min(pixels, Math.max(1, Math.ceil(pixels / oversampling - 1e-6)))
}
