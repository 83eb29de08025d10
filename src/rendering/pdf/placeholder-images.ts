import { type Canvas, createCanvas } from '@napi-rs/canvas'

/**
 * Creates a placeholder image: a grey strip whose width identifies the original image. If Skia got the original image,
 * it would decode and compress it again, so the finished PDF gets the original in place of the strip.
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

export function placeholderIndex(widthPx: number): number {
  return widthPx - MIN_WIDTH
}
