import type { AssetSize } from '../../document/design-document.ts'
import type { ImageLayer } from '../../document/image-layer.ts'
import type { Rect } from '../../shapes/geometry.ts'
import type { FittedImage } from '../layer-engine.ts'

/** Fits an upright image of the given size in pixels into a layer's box. */
export function fitImage(
  layer: Pick<ImageLayer, 'width' | 'height' | 'fit' | 'crop'>,
  { widthPx, heightPx }: AssetSize,
): FittedImage {
  const { width, height, fit } = layer
  const crop = layer.crop ?? { x: 0, y: 0, width: 1, height: 1 }
  const usedWidthPx = crop.width * widthPx
  const usedHeightPx = crop.height * heightPx
  const { scaleX, scaleY } = scales(fit, width / usedWidthPx, height / usedHeightPx)
  const part = centred(usedWidthPx * scaleX, usedHeightPx * scaleY, width, height)
  const shown = fit === 'contain' ? part : { x: 0, y: 0, width, height }
  const whole = {
    x: part.x - crop.x * widthPx * scaleX,
    y: part.y - crop.y * heightPx * scaleY,
    width: widthPx * scaleX,
    height: heightPx * scaleY,
  }
  return { whole, shown, dpiX: 25.4 / scaleX, dpiY: 25.4 / scaleY, usedWidthPx, usedHeightPx }
}

// Returns the scale along each axis in millimetres per pixel.
function scales(fit: ImageLayer['fit'], x: number, y: number): { scaleX: number; scaleY: number } {
  if (fit === 'stretch') return { scaleX: x, scaleY: y }
  const scale = fit === 'cover' ? Math.max(x, y) : Math.min(x, y)
  return { scaleX: scale, scaleY: scale }
}

function centred(width: number, height: number, boxWidth: number, boxHeight: number): Rect {
  return { x: (boxWidth - width) / 2, y: (boxHeight - height) / 2, width, height }
}
