import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas'
import { withColors } from './open-image.ts'

/**
 * Decodes an image file onto a canvas of the given size, upright and in sRGB. If a smaller size is enough, JPEG and
 * WebP are decoded at a fraction of their size, because decoding takes most of the time of a preview.
 */
export async function readCanvasImage(path: string, widthPx: number, heightPx: number): Promise<Canvas> {
  const size = { widthPx, heightPx }
  const pixels = await withColors(path, size, (colors) => colors.ensureAlpha().raw().toBuffer())
  const canvas = createCanvas(widthPx, heightPx)
  const bytes = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  canvas.getContext('2d').putImageData(new ImageData(bytes, widthPx, heightPx), 0, 0)
  return canvas
}
