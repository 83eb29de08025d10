import type { Layer } from '../document/layer-types.ts'
import type { Outline } from '../trim/trim-shape.ts'
import type { CheckContext } from './context.ts'
import type { Finding } from './issue.ts'
import { centred, INSET_MM, movedInside } from './moves.ts'

export interface PositionRules<Type extends Layer> {
  /** Checks a layer that overlaps the print area, with `checkSafeArea` or `checkBleed`. */
  checkEdges(layer: Type, outline: Outline, context: CheckContext): Finding[]
  /** Yields smaller versions of the layer that fit the safe area. */
  fitted(layer: Type, context: CheckContext): Iterable<Layer>
}

/**
 * Checks the position of a layer: whether it lies outside the print area, lies too near the cut, or ends inside the
 * bleed.
 */
export function checkPosition<Type extends Layer>(
  layer: Type,
  rules: PositionRules<Type>,
  context: CheckContext,
): Finding[] {
  const outline = context.outlineOf(layer)
  if (!context.trim.overlaps(outline, context.area.bleedMm)) return [outsidePrintArea(layer, rules, context)]
  return rules.checkEdges(layer, outline, context)
}

function outsidePrintArea<Type extends Layer>(layer: Type, rules: PositionRules<Type>, context: CheckContext): Finding {
  const message = 'The layer lies wholly outside the print area and its bleed; none of it would be printed.'
  const remedies = () => movesInto(layer, rules, context)
  return { code: 'layer_outside_print_area', severity: 'error', field: '', message, remedies }
}

function* movesInto<Type extends Layer>(
  layer: Type,
  { fitted }: PositionRules<Type>,
  context: CheckContext,
): Iterable<Layer> {
  for (const margin of [context.area.safeMarginMm + INSET_MM, INSET_MM]) {
    const moved = movedInside(layer, margin, context)
    if (moved !== undefined) yield moved
  }
  yield centred(layer, context)
  yield* fitted(layer, context)
}
