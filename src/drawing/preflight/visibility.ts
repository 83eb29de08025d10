import type { Layer } from '../document.ts'
import { parseColor } from '../shapes/color.ts'

/** Whether a layer leaves no trace: fully transparent, without fill and stroke, or a text of blanks. */
export function showsNothing(layer: Layer): boolean {
  if (layer.opacity === 0) return true
  if (layer.type === 'text') return layer.text.trim() === '' || isTransparent(layer.color)
  if (layer.type !== 'shape') return false
  return !isFilled(layer) && (layer.stroke === undefined || isTransparent(layer.stroke.color))
}

/** Whether a shape has a fill that is seen; a line has none. */
export function isFilled({ shape, fill }: Layer & { type: 'shape' }): boolean {
  return shape !== 'line' && fill !== undefined && !isTransparent(fill)
}

function isTransparent(color: string): boolean {
  return parseColor(color).alpha === 0
}
