import { checkBleed } from '../../checks/check-bleed.ts'
import { checkPosition, type PositionRules } from '../../checks/check-position.ts'
import { shrunkInto } from '../../checks/moves.ts'
import type { ShapeLayer } from '../../document/shape-layer.ts'
import { pathHull } from '../../shapes/path/path-hull.ts'
import type { LayerEngine } from '../layer-engine.ts'
import { checkShape } from './check-shape.ts'
import { countDashes } from './count-dashes.ts'
import { drawShape } from './draw-shape.ts'
import { shapeOutline } from './shape-outline.ts'
import { showsNothing } from './visibility.ts'

const rules: PositionRules<ShapeLayer> = {
  checkEdges: (layer, outline, context) =>
    showsNothing(layer)
      ? []
      : checkBleed(layer, outline, context, (wider, higher) => growsWithItsBox(layer, wider, higher)),
  fitted: shrunkInto,
}

// The path data determine the size of a path. A line may become longer, but must keep its angle.
function growsWithItsBox({ shape, width, height }: ShapeLayer, wider: number, higher: number): boolean {
  if (shape === 'path') return false
  return shape !== 'line' || (width === 0 && wider === 0) || (height === 0 && higher === 0)
}

// Checking a path takes this much effort per corner of its hull, because the search for a position computes the
// distance of each corner from an ellipse several times.
const EFFORT_PER_CORNER = 10

export const shapeEngine: LayerEngine<ShapeLayer> = {
  outline: shapeOutline,
  check: (layer, context) => [...checkShape(layer), ...checkPosition(layer, rules, context)],
  effort: ({ shape, path }) => (shape === 'path' ? EFFORT_PER_CORNER * pathHull(path ?? '').length : 0),
  showsNothing,
  countDashes,
  draw: (ctx, layer, { group }) => drawShape(ctx, layer, group),
}
