import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import type { DrawGroup } from '../../drawing/engine.ts'

// The canvas is a recorder of drawing calls and shows in no file; its size in pixels does not matter.
const SIDE = 16

/**
 * Draws a group with Skia: recorded, and played back as a whole. It stays sharp at any size and is vector in a PDF, where
 * it becomes a transparency group (ISO 32000-1, 11.6.6).
 */
export const drawGroup: DrawGroup = (context, { x, y, width, height }, draw) => {
  const canvas = createCanvas(SIDE, SIDE)
  const within = canvas.getContext('2d')
  within.scale(SIDE / width, SIDE / height)
  within.translate(-x, -y)
  draw(within)
  ;(context as unknown as SKRSContext2D).drawCanvas(canvas, x, y, width, height)
}
