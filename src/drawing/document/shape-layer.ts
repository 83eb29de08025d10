import { checkBox, type LayerDefinition, type ReportFault, type WithDefaults } from './layer-definition.ts'
import { roundLength } from './lengths.ts'
import { BASE_DEFAULTS } from './schema/defaults.ts'
import type { ShapeLayerInput, Stroke } from './schema/shape-layer.ts'

export type ShapeLayer = WithDefaults<ShapeLayerInput, typeof BASE_DEFAULTS>

export const shapeLayer = {
  fields: ['shape', 'cornerRadius', 'path', 'fill', 'stroke'],
  defaults: BASE_DEFAULTS,
  lengths: ['cornerRadius', 'stroke/widthMm', 'stroke/dashMm'],
  pathLength: ({ path }) => path?.length ?? 0,
  hasDashes: ({ stroke }) => stroke?.dashMm !== undefined,
  checkFields(layer, report) {
    if (layer.shape !== 'line') checkBox(layer, layer.shape, report)
    else if (roundLength(layer.width) === 0 && roundLength(layer.height) === 0) {
      report('size_not_positive', '/width', 'The width or the height of a line must be more than 0.')
    }
    if (layer.stroke !== undefined) checkStroke(layer.stroke, report)
  },
} as const satisfies LayerDefinition<ShapeLayerInput>

function checkStroke({ widthMm, dashMm }: Stroke, report: ReportFault): void {
  if (roundLength(widthMm) === 0) {
    report('size_not_positive', '/stroke/widthMm', 'The width of a stroke must be more than 0.')
  }
  if (dashMm?.every((length) => roundLength(length) === 0)) {
    report('dash_without_length', '/stroke/dashMm', 'At least one dash or gap must be longer than 0.')
  }
}
