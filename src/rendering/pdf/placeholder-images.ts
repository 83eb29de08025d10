import { type Canvas, createCanvas } from '@napi-rs/canvas'

/**
 * Skia's PDF writer would decode and compress each image anew. Instead, a strip of grey pixels is drawn in its place,
 * as many pixels long as tell it from the others, and exchanged for the image once the PDF is written.
 */
export function createPlaceholderImage(index: number): Canvas {
  const placeholder = createCanvas(index + MIN_WIDTH, PLACEHOLDER_HEIGHT)
  const context = placeholder.getContext('2d')
  context.fillStyle = '#808080'
  context.fillRect(0, 0, placeholder.width, placeholder.height)
  return placeholder
}

export const PLACEHOLDER_HEIGHT = 2

const MIN_WIDTH = 2

/** Which stand-in an image of this width is. */
export function placeholderIndex(widthPx: number): number {
  return widthPx - MIN_WIDTH
}
