import type { Layer } from '../document/design-document.ts'
import { unknownLayer } from '../document/layer-type.ts'
import { refitted } from '../layers/text/fit-text.ts'
import type { TextLayout } from '../text/layout.ts'
import { type Guarded, guardedPoints, lettersReach, outlineBounds, outlineOf } from '../trim/outline.ts'
import { checkBleed } from './check-bleed.ts'
import { type CheckContext, EPSILON_MM, shown } from './context.ts'
import type { Finding } from './issue.ts'
import { centred, movedInside, movedToSafety, scaled } from './moves.ts'

/** Where a layer lies: outside the print area, too near the cut, or short of the bleed. `layout` is a text's own. */
export function checkPosition(layer: Layer, layout: TextLayout | undefined, context: CheckContext): Finding[] {
  const { area, trim, assets } = context
  const outline = outlineOf(layer, assets)
  if (!trim.overlaps(outline, area.bleedMm)) return [outsidePrintArea(layer, context)]
  switch (layer.type) {
    case 'text':
    case 'qr':
      return checkSafeArea(layer, layout, context)
    case 'image':
    case 'shape':
      return checkBleed(layer, outline, context)
    default:
      return unknownLayer(layer)
  }
}

function outsidePrintArea(layer: Layer, context: CheckContext): Finding {
  const message = 'The layer lies wholly outside the print area and its bleed; none of it would be printed.'
  const remedies = () => movesInto(layer, context)
  return { code: 'layer_outside_print_area', severity: 'error', field: '', message, remedies }
}

// What just touches the trim edge should reach the bleed, so a moved layer keeps off it.
const INSET_MM = 0.001

function* movesInto(layer: Layer, context: CheckContext): Iterable<Layer> {
  for (const margin of [context.area.safeMarginMm + INSET_MM, INSET_MM]) {
    const moved = movedInside(layer, margin, context)
    if (moved !== undefined) yield moved
  }
  yield centred(layer, context)
  if (layer.type === 'text') yield* refitted(layer, context)
  else yield* shrunkInto(layer, context)
}

function checkSafeArea(layer: Guarded, layout: TextLayout | undefined, context: CheckContext): Finding[] {
  const { area, trim } = context
  const points = guardedPoints(layer, layout)
  if (points.length === 0) return []
  const ofLines = trim.inset(points)
  // Measuring letters takes as long as all the rest: only where they could be cut.
  const ofLetters = ofLines < lettersReach(layer) ? trim.inset(guardedPoints(layer, layout, 'letters')) : ofLines
  const distance = ofLetters < -EPSILON_MM ? ofLetters : ofLines
  if (distance >= area.safeMarginMm - EPSILON_MM) return []
  const beyondTrim = distance < -EPSILON_MM
  const what = layer.type === 'qr' ? 'The QR code' : 'The text'
  const message = beyondTrim
    ? `${what} reaches ${shown(-distance, 3)} mm beyond the trim edge and would be cut.`
    : `${what} is ${shown(distance, 3)} mm from the trim edge; the safe margin is ${shown(area.safeMarginMm)} mm.`
  return [
    {
      code: 'outside_safe_area',
      severity: beyondTrim ? 'error' : 'warning',
      field: '',
      message,
      measured: distance,
      limit: beyondTrim ? 0 : area.safeMarginMm,
      unit: 'mm',
      remedies: () => movesToSafety(layer, context),
    },
  ]
}

function* movesToSafety(layer: Guarded, context: CheckContext): Iterable<Layer> {
  yield* movedToSafety(layer, context)
  if (layer.type === 'text') yield* refitted(layer, context)
  else yield* shrunkInto(layer, context)
}

// As large as the safe area allows: where it is, or in the middle.
function* shrunkInto(layer: Layer, context: CheckContext): Iterable<Layer> {
  const room = context.trim.room(context.area.safeMarginMm + INSET_MM)
  const { width, height } = outlineBounds(outlineOf(layer, context.assets))
  const share = Math.min(room.width / width, room.height / height)
  if (!(share > 0 && share < 1)) return
  const smaller = scaled(layer, share)
  const moved = movedInside(smaller, context.area.safeMarginMm + INSET_MM, context)
  if (moved !== undefined) yield moved
  yield centred(smaller, context)
}
