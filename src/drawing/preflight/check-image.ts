import { fitImage } from '../shapes/fit-image.ts'
import { type CheckContext, ceilMm, floorMm, type LayerOf, shown } from './context.ts'
import type { Change, Finding } from './issue.ts'

/** Under this share of the target the resolution is an error, not a warning. */
const HARD_SHARE = 0.5

/** Whether the asset exists and has enough pixels for its printed size. */
export function checkImage(layer: LayerOf<'image'>, { area, assets }: CheckContext): Finding[] {
  const asset = assets.get(layer.assetId)
  if (asset === undefined) {
    const message = `There is no asset ${layer.assetId}.`
    return [{ code: 'asset_missing', severity: 'error', field: 'assetId', message }]
  }
  const { dpiX, dpiY, usedWidthPx, usedHeightPx } = fitImage(layer, asset)
  // Images have whole pixels: 1240 are what 105 mm at 300 dpi asks for, though they make 299.96 dpi.
  const reach = Math.min(dpiX * (1 + 0.5 / usedWidthPx), dpiY * (1 + 0.5 / usedHeightPx))
  if (reach >= area.targetDpi) return []
  const dpi = Math.min(dpiX, dpiY)
  const severity = reach < area.targetDpi * HARD_SHARE ? 'error' : 'warning'
  const limit = severity === 'error' ? area.targetDpi * HARD_SHARE : area.targetDpi
  const message = `The image is printed at ${shown(dpi, 0)} dpi; ${shown(area.targetDpi)} dpi are wanted.`
  const remedies = () => [shrunk(layer, dpi / area.targetDpi)]
  const measured = Number(dpi.toFixed(2))
  return [{ code: 'image_resolution_low', severity, field: '', message, measured, limit, unit: 'dpi', remedies }]
}

function shrunk({ x, y, width, height }: LayerOf<'image'>, factor: number): Change[] {
  const smallerWidth = floorMm(width * factor)
  const smallerHeight = floorMm(height * factor)
  if (smallerWidth <= 0 || smallerHeight <= 0) return []
  return [
    { field: 'x', value: ceilMm(x + (width - smallerWidth) / 2) },
    { field: 'y', value: ceilMm(y + (height - smallerHeight) / 2) },
    { field: 'width', value: smallerWidth },
    { field: 'height', value: smallerHeight },
  ]
}
