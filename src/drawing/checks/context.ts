import type { AssetSize, Layer, PrintArea } from '../document/design-document.ts'
import { unknownLayer } from '../document/layer-type.ts'
import type { PlaceholderData } from '../document/placeholders.ts'
import { pathHull } from '../shapes/path/path-hull.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import type { TrimShape } from '../trim/trim-shape.ts'

/** What the checks of a layer look at beside the layer. */
export interface CheckContext {
  area: PrintArea
  trim: TrimShape
  /** All layers of the placement, bottom to top. */
  layers: readonly Layer[]
  assets: ReadonlyMap<string, AssetSize>
  fonts: FontBook
  data: PlaceholderData | undefined
  /** What may still be spent on trying fixes in this report, in characters of text or their equal. */
  work: { left: number }
  /** How many dashes a fix may add before the document has too many. */
  spareDashes: number
}

export type LayerOf<Type extends Layer['type']> = Layer & { type: Type }

/** Takes from the work that is left what it costs to try something on a layer: it is checked anew as a whole. */
export function spend({ work, layers }: CheckContext, layer: Layer): void {
  work.left -= COST_OF_A_LAYER
  switch (layer.type) {
    case 'text':
      work.left -= layer.text.length
      return
    case 'qr':
      work.left -= COST_OF_A_GROUND * layers.length
      return
    case 'shape':
      if (layer.shape === 'path') work.left -= COST_OF_A_CORNER * pathHull(layer.path ?? '').length
      return
    case 'image':
      return
    default:
      unknownLayer(layer)
  }
}

// In characters laid out, each of which takes about two microseconds.
const COST_OF_A_LAYER = 10
/** Looking at a layer as what a code stands on. */
export const COST_OF_A_GROUND = 2
// Its distances from an ellipse are computed again for each step of a search.
const COST_OF_A_CORNER = 10

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
