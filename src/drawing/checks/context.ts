import type { AssetSize, PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import type { PlaceholderData } from '../document/placeholders.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import type { Outline, TrimShape } from '../trim/trim-shape.ts'

/** The surroundings of a layer that its checks need. */
export interface CheckContext {
  area: PrintArea
  trim: TrimShape
  /** All layers of the placement, bottom to top. */
  layers: readonly Layer[]
  assets: ReadonlyMap<string, AssetSize>
  fonts: FontBook
  data: PlaceholderData | undefined
  /** The remaining effort for trying fixes in this report, in characters of layout or an equivalent. */
  work: { left: number }
  /** How many dashes a fix may add before the document has too many. */
  spareDashes: number
  outlineOf(layer: Layer): Outline
}

/** Subtracts the effort of checking one layer again. `effort` is that of its content. */
export function spend({ work }: CheckContext, effort: number): void {
  work.left -= EFFORT_PER_LAYER + effort
}

// In characters of layout, each of which takes about two microseconds.
const EFFORT_PER_LAYER = 10
