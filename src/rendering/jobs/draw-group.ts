import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import type { DrawGroup } from '../../drawing/engine.ts'

// The canvas only records drawing operations, so its size in pixels has no influence.
const SIDE = 16

/**
 * Draws a group with Skia, by recording it and then replaying it as one object. The result is sharp at any size. In a
 * PDF it is a transparency group (ISO 32000-1, section 11.6.6) of vectors.
 */
export const drawGroup: DrawGroup = (context, { x, y, width, height }, draw) => {
  const canvas = createCanvas(SIDE, SIDE)
  const within = canvas.getContext('2d')
  within.scale(SIDE / width, SIDE / height)
  within.translate(-x, -y)
  draw(within)
  ;(context as unknown as SKRSContext2D).drawCanvas(canvas, x, y, width, height)
}
