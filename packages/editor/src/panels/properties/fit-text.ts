import { PT_PER_MM, type TextLayer } from '@platen/drawing'
import { roundMm } from '../../document/geometry/lengths.ts'

/** The part of the engine that lays out texts. It returns undefined while a font file is missing. */
interface Layouts {
  layoutOf(layer: TextLayer): { layout: { widthPt: number; heightPt: number } } | undefined
}

const SMALLEST_TENTHS = 10
const LARGEST_TENTHS = 5_000
/** Letters of a line may end this much after the box, because lengths are rounded. */
const TOLERANCE_PT = 0.01

/** Finds the largest font size, in tenths of a point, at which a text fits into its box. */
export function fittingSize(layer: TextLayer, engine: Layouts): number | undefined {
  const fitsAt = (tenths: number): boolean => {
    const layout = engine.layoutOf({ ...layer, fontSizePt: tenths / 10 })?.layout
    return (
      layout !== undefined &&
      layout.widthPt <= layer.width * PT_PER_MM + TOLERANCE_PT &&
      layout.heightPt <= layer.height * PT_PER_MM + TOLERANCE_PT
    )
  }
  if (layer.text.trim() === '' || !fitsAt(SMALLEST_TENTHS)) return undefined
  let low = SMALLEST_TENTHS
  let high = LARGEST_TENTHS
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fitsAt(middle)) low = middle
    else high = middle - 1
  }
  return low / 10
}

/** Makes the box of a text as high as the text. The side to which the text is aligned stays in place. */
export function fittingBox<Layer extends TextLayer>(layer: Layer, engine: Layouts): Layer | undefined {
  const layout = engine.layoutOf(layer)?.layout
  if (layout === undefined || layout.heightPt === 0) return undefined
  const height = Math.ceil((layout.heightPt / PT_PER_MM) * 1000) / 1000
  const share = { top: 0, middle: 0.5, bottom: 1 }[layer.verticalAlign]
  return { ...layer, height, y: roundMm(layer.y + (layer.height - height) * share) }
}
