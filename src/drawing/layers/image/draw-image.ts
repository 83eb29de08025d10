import type { Canvas2D, DrawableImage, Orientation } from '../../canvas.ts'
import type { ImageLayer } from '../../document/image-layer.ts'
import { fitImage } from './fit-image.ts'

export function drawImage(ctx: Canvas2D, layer: ImageLayer, image: DrawableImage): void {
  const { whole, shown } = fitImage(layer, image)
  if (layer.flipX || layer.flipY) {
    ctx.translate(layer.flipX ? layer.width : 0, layer.flipY ? layer.height : 0)
    ctx.scale(layer.flipX ? -1 : 1, layer.flipY ? -1 : 1)
  }
  ctx.beginPath()
  ctx.rect(shown.x, shown.y, shown.width, shown.height)
  ctx.clip()
  ctx.translate(whole.x, whole.y)
  if (image.orientation === 1) {
    ctx.drawImage(image.source as never, 0, 0, whole.width, whole.height)
    return
  }
  ctx.scale(whole.width, whole.height)
  ctx.transform(...UPRIGHT[image.orientation])
  ctx.drawImage(image.source as never, 0, 0, 1, 1)
}

/**
 * For each EXIF orientation, the transform of the unit square that makes the stored pixels upright (TIFF 6.0, tag 274).
 */
const UPRIGHT: Readonly<Record<Orientation, [number, number, number, number, number, number]>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, 1, 1, 0, 0, 0],
  6: [0, 1, -1, 0, 1, 0],
  7: [0, -1, -1, 0, 1, 1],
  8: [0, -1, 1, 0, 0, 1],
}
