import type { Layer } from '../document/layer-types.ts'
import { ceilMm, floorMm, shown } from '../shapes/units.ts'
import type { Outline, Shortfall, Side } from '../trim/trim-shape.ts'
import type { CheckContext } from './context.ts'
import type { Finding } from './issue.ts'
import { movedBy, movedInside } from './moves.ts'

/** Tells whether the drawing of a layer becomes larger when its box becomes wider and higher by the given lengths. */
type GrowsWithBox = (widerMm: number, higherMm: number) => boolean

/** Checks whether a layer that touches the trim edge reaches the end of the bleed, because cutting is never exact. */
export function checkBleed(layer: Layer, outline: Outline, context: CheckContext, grows: GrowsWithBox): Finding[] {
  const { area, trim } = context
  if (area.bleedMm === 0 || !trim.overlaps(outline, 0)) return []
  const shortfall = trim.shortfall(outline, area.bleedMm)
  if (shortfall === undefined) return []
  const where = shortfall.sides.size === 0 ? '' : ` (${[...shortfall.sides.keys()].join(', ')})`
  return [
    {
      code: 'bleed_missing',
      severity: 'warning',
      field: '',
      message: `The layer touches the trim edge${where} but does not fill the bleed of ${shown(area.bleedMm)} mm.`,
      measured: Math.max(0, shortfall.reachMm),
      limit: area.bleedMm,
      unit: 'mm',
      remedies: () => bleeding(layer, shortfall, context, grows),
    },
  ]
}

function* bleeding(layer: Layer, shortfall: Shortfall, context: CheckContext, grows: GrowsWithBox): Iterable<Layer> {
  const { bleedMm, safeMarginMm } = context.area
  const missing = (side: Side) => ceilMm(bleedMm - (shortfall.sides.get(side) ?? bleedMm))
  const edges = { left: missing('left'), top: missing('top'), right: missing('right'), bottom: missing('bottom') }
  if (shortfall.sides.size > 0 && layer.rotation % 90 === 0) yield* extended(layer, edges, grows)
  const all = ceilMm(bleedMm - shortfall.reachMm)
  for (const by of [all, 1.5 * all, 2 * all])
    yield* extended(layer, { left: by, top: by, right: by, bottom: by }, grows)
  // Moving the layer away from the edge does not suit a background, which is meant to fill the area. This fix therefore
  // comes after the larger versions of the layer.
  const away = {
    x: awayFrom(shortfall, 'left', 'right', safeMarginMm),
    y: awayFrom(shortfall, 'top', 'bottom', safeMarginMm),
  }
  if (away.x !== 0 || away.y !== 0) yield movedBy(layer, away)
  const inside = movedInside(layer, Math.max(safeMarginMm, 0.001), context)
  if (inside !== undefined) yield inside
}

/**
 * Yields the layer with the edges of its box moved outwards by the given lengths, if its drawing grows with the box.
 */
function* extended(
  layer: Layer,
  { left, top, right, bottom }: Record<Side, number>,
  grows: GrowsWithBox,
): Iterable<Layer> {
  const onItsSide = layer.rotation % 180 !== 0 && layer.rotation % 90 === 0
  const across = left + right
  const down = top + bottom
  const [wider, higher] = onItsSide ? [down, across] : [across, down]
  if (!grows(wider, higher)) return
  const width = ceilMm(layer.width + wider)
  const height = ceilMm(layer.height + higher)
  const x = floorMm(layer.x + (layer.width - width + right - left) / 2)
  const y = floorMm(layer.y + (layer.height - height + bottom - top) / 2)
  yield { ...layer, x, y, width, height }
}

// Computes how far to move a layer away from the side with missing bleed so that the layer keeps the margin. Returns 0
// if both sides or neither side lacks bleed.
function awayFrom({ sides }: Shortfall, start: Side, end: Side, marginMm: number): number {
  const [atStart, atEnd] = [sides.get(start), sides.get(end)]
  if ((atStart === undefined) === (atEnd === undefined)) return 0
  const margin = Math.max(marginMm, 0.001)
  return atStart === undefined ? -((atEnd ?? 0) + margin) : atStart + margin
}
