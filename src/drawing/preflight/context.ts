import type { Layer, PrintArea } from '../document.ts'
import type { PlaceholderData } from '../placeholders.ts'
import type { FontBook } from '../text/font-book.ts'

/** What checks need to know about an asset: its size in pixels, upright. */
export interface AssetSize {
  widthPx: number
  heightPx: number
}

/** What the checks of a layer look at beside the layer. */
export interface CheckContext {
  area: PrintArea
  assets: ReadonlyMap<string, AssetSize>
  fonts: FontBook
  data: PlaceholderData | undefined
}

export type LayerOf<Type extends Layer['type']> = Layer & { type: Type }

/** What float arithmetic may leave of an exact limit, in millimetres. */
export const EPSILON_MM = 1e-6

/** The next length with three decimals that is not smaller. */
export function ceilMm(mm: number): number {
  return Math.ceil(mm * 1000 - EPSILON_MM) / 1000 + 0
}

/** The next length with three decimals that is not larger. */
export function floorMm(mm: number): number {
  return Math.floor(mm * 1000 + EPSILON_MM) / 1000 + 0
}

/** A number as people read it in a message: at most `decimals` digits after the point. */
export function shown(value: number, decimals = 2): string {
  return String(Number(value.toFixed(decimals)))
}
