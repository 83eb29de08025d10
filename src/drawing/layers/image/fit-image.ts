import type { ImageLayer } from '../../document/design-document.ts'
import type { Rect } from '../../shapes/geometry.ts'

/** Where an image stands in its layer's box, in millimetres from the box's top left, before flipping. */
export interface FittedImage {
  /** The whole upright image, the parts that are cropped or cut off included. */
  whole: Rect
  /** What of it is seen. */
  shown: Rect
  /** Resolution along the image's own axes, in pixels per inch of print. */
  dpiX: number
  dpiY: number
  /** Pixels that are used along each axis, after the crop. */
  usedWidthPx: number
  usedHeightPx: number
}

/** Fits an upright image of the given size in pixels into a layer's box. */
export function fitImage(
  layer: Pick<ImageLayer, 'width' | 'height' | 'fit' | 'crop'>,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
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

// Millimetres per pixel.
function scales(fit: ImageLayer['fit'], x: number, y: number): { scaleX: number; scaleY: number } {
  if (fit === 'stretch') return { scaleX: x, scaleY: y }
  const scale = fit === 'cover' ? Math.max(x, y) : Math.min(x, y)
  return { scaleX: scale, scaleY: scale }
}

function centred(width: number, height: number, boxWidth: number, boxHeight: number): Rect {
  return { x: (boxWidth - width) / 2, y: (boxHeight - height) / 2, width, height }
}
