import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { drawGroup } from '../../rendering/jobs/draw-group.ts'
import type { Canvas2D } from '../canvas.ts'
import type { Layer } from '../document/layer-types.ts'
import { a6, documentOf, fonts } from '../factory.ts'
import { PT_PER_MM } from '../shapes/units.ts'
import { coverOffcuts, type DrawInput, drawPrintArea } from './draw-print-area.ts'

const PX_PER_MM = 4

/**
 * Draws layers on the A6 card with its bleed, on white, at 4 pixels per millimetre, as previews are drawn.
 *
 * @returns a function that reads the colour, as `#rrggbb`, at a position in millimetres from the trim box
 */
export function draw(layers: Layer[], input: Partial<DrawInput> = {}): { at(x: number, y: number): string } {
  const { box = 'bleed', printArea = a6 } = input
  const offset = box === 'bleed' ? printArea.bleedMm : 0
  const width = (printArea.widthMm + 2 * offset) * PX_PER_MM
  const height = (printArea.heightMm + 2 * offset) * PX_PER_MM
  const ctx = createCanvas(width, height).getContext('2d')
  ctx.fillStyle = '#ffffff'
  ctx.fillRect(0, 0, width, height)
  ctx.scale(PX_PER_MM / PT_PER_MM, PX_PER_MM / PT_PER_MM)
  const document = documentOf(...layers)
  const canvas = ctx as unknown as Canvas2D
  drawPrintArea(canvas, { document, printArea, fonts, images: new Map(), box, group: drawGroup, ...input })
  if (box === 'trim') coverOffcuts(canvas, printArea, '#ffffff')
  return { at: (x, y) => colorAt(ctx, (x + offset) * PX_PER_MM, (y + offset) * PX_PER_MM) }
}

function colorAt(ctx: SKRSContext2D, x: number, y: number): string {
  const [r = 0, g = 0, b = 0] = ctx.getImageData(Math.floor(x), Math.floor(y), 1, 1).data
  return `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
