import type { AssetSize, PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import type { PlaceholderData } from '../document/placeholders.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import type { Outline, TrimShape } from '../trim/trim-shape.ts'

/** What the checks of a layer need to know in addition to the layer itself. */
export interface CheckContext {
  area: PrintArea
  trim: TrimShape
  /** All layers of the placement, bottom to top. */
  layers: readonly Layer[]
  assets: ReadonlyMap<string, AssetSize>
  fonts: FontBook
  data: PlaceholderData | undefined
  /** The remaining effort for trying fixes in this report. The unit is the layout of one character. */
  work: { left: number }
  /** How many dashes a fix may add before the document exceeds the limit of dashes. */
  spareDashes: number
  outlineOf(layer: Layer): Outline
}

/**
 * Subtracts the effort of checking one layer again.
 *
 * @param effort of checking the content of the layer, in the unit of `CheckContext.work`
 */
export function spend({ work }: CheckContext, effort: number): void {
  work.left -= EFFORT_PER_LAYER + effort
}

// The unit is the layout of one character, which takes about two microseconds.
const EFFORT_PER_LAYER = 10
