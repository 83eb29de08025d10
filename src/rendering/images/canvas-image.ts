import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas'
import { openColors } from './open-image.ts'

/**
 * Decodes an image file onto a canvas of the given size, upright and in sRGB. JPEG and WebP are decoded at a fraction
 * of their size where that is enough, which is most of the time a preview takes.
 */
export async function readCanvasImage(path: string, widthPx: number, heightPx: number): Promise<Canvas> {
  const colors = await openColors(path, { widthPx, heightPx })
  const pixels = await colors.ensureAlpha().raw().toBuffer()
  const canvas = createCanvas(widthPx, heightPx)
  const bytes = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  canvas.getContext('2d').putImageData(new ImageData(bytes, widthPx, heightPx), 0, 0)
  return canvas
}
