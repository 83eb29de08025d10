import { checkPosition, type PositionRules } from '../../checks/check-position.ts'
import { checkSafeArea } from '../../checks/check-safe-area.ts'
import type { CheckContext } from '../../checks/context.ts'
import { movedToSafety, shrunkInto } from '../../checks/moves.ts'
import type { Layer } from '../../document/layer-types.ts'
import { fillPlaceholders } from '../../document/placeholders.ts'
import type { QrLayer } from '../../document/qr-layer.ts'
import { boxOutline } from '../../trim/outline.ts'
import type { LayerEngine } from '../layer-engine.ts'
import { checkQr } from './check-qr.ts'
import { drawQr } from './draw-qr.ts'
import { EFFORT_PER_GROUND } from './obscured-codes.ts'

const rules: PositionRules<QrLayer> = {
  checkEdges(layer, _outline, context) {
    const { points } = boxOutline(layer)
    const remedies = () => movesToSafety(layer, context)
    return checkSafeArea({ name: 'The QR code', pointsOf: () => points, lettersReachMm: 0, remedies }, context)
  },
  fitted: shrunkInto,
}

function* movesToSafety(layer: QrLayer, context: CheckContext): Iterable<Layer> {
  yield* movedToSafety(layer, () => boxOutline(layer).points, context)
  yield* shrunkInto(layer, context)
}

export const qrEngine: LayerEngine<QrLayer> = {
  outline: boxOutline,
  check: (layer, context) => [...checkQr(layer, context), ...checkPosition(layer, rules, context)],
  effort: (_layer, { layers }) => EFFORT_PER_GROUND * layers.length,
  draw: (ctx, layer, { data, group }) => drawQr(ctx, { ...layer, value: fillPlaceholders(layer.value, data) }, group),
}
