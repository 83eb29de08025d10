import type { CheckContext } from '../../checks/context.ts'
import type { Finding } from '../../checks/issue.ts'
import { movedInside, scaled } from '../../checks/moves.ts'
import type { AssetSize, PrintArea } from '../../document/design-document.ts'
import type { ImageLayer } from '../../document/image-layer.ts'
import { shown } from '../../shapes/units.ts'
import { fitImage } from './fit-image.ts'

/**
 * If the resolution is below this share of the target, the issue is an error. `minDpi` of a print area replaces this
 * limit.
 */
const HARD_SHARE = 0.5

/** Checks whether the asset exists and has enough pixels for its printed size. */
export function checkImage(layer: ImageLayer, context: CheckContext): Finding[] {
  const { area, assets } = context
  const asset = assets.get(layer.assetId)
  if (asset === undefined) {
    const message = `There is no asset ${layer.assetId}.`
    return [{ code: 'asset_missing', severity: 'error', field: 'assetId', message }]
  }
  const { dpi, severity, limit } = printedResolution(layer, asset, area)
  if (severity === undefined) return []
  const hardLimit = hardLimitOf(area)
  const wanted = `the target is ${shown(area.targetDpi)} dpi${severity === 'error' ? `, the minimum ${shown(hardLimit)} dpi` : ''}`
  const message = `The image is printed at ${shown(dpi)} dpi; ${wanted}.`
  const remedies = () => shrunk(layer, dpi / area.targetDpi, context)
  return [{ code: 'image_resolution_low', severity, field: '', message, measured: dpi, limit, unit: 'dpi', remedies }]
}

/** The resolution at which an image is printed, and how the checks judge it. */
export interface PrintedResolution {
  dpi: number
  /** Undefined if the image has enough pixels. */
  severity: 'warning' | 'error' | undefined
  /** The resolution that would avoid an issue of this severity. */
  limit: number
}

export function printedResolution(
  layer: Pick<ImageLayer, 'width' | 'height' | 'fit' | 'crop'>,
  asset: AssetSize,
  area: Pick<PrintArea, 'targetDpi' | 'minDpi'>,
): PrintedResolution {
  const { dpiX, dpiY, usedWidthPx, usedHeightPx } = fitImage(layer, asset)
  const dpi = Math.min(dpiX, dpiY)
  // Images have whole pixels: 105 mm at 300 dpi need 1,240 pixels, which give only 299.96 dpi. A tolerance of half a
  // pixel accepts them.
  const reach = Math.min(dpiX * (1 + halfPixelOf(usedWidthPx)), dpiY * (1 + halfPixelOf(usedHeightPx)))
  if (reach >= area.targetDpi) return { dpi, severity: undefined, limit: area.targetDpi }
  const hardLimit = hardLimitOf(area)
  if (reach >= hardLimit) return { dpi, severity: 'warning', limit: area.targetDpi }
  return { dpi, severity: 'error', limit: hardLimit }
}

function hardLimitOf({ targetDpi, minDpi }: Pick<PrintArea, 'targetDpi' | 'minDpi'>): number {
  return minDpi ?? targetDpi * HARD_SHARE
}

// The lower limit of half a pixel prevents a division by almost zero for a very small crop.
function halfPixelOf(usedPx: number): number {
  return 0.5 / Math.max(usedPx, 0.5)
}

function* shrunk(layer: ImageLayer, factor: number, context: CheckContext): Iterable<ImageLayer> {
  const smaller = scaled(layer, factor)
  yield smaller
  // The edges of the smaller image may lie in the bleed, so the fix also moves the image inside.
  const inside = movedInside(smaller, Math.max(context.area.safeMarginMm, 0.001), context)
  if (inside !== undefined) yield inside
}
