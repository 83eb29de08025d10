import Type, { type Static } from 'typebox'
import {
  BASE_DEFAULTS,
  Color,
  closed,
  DOCUMENT_LIMITS,
  Extent,
  OneOf,
  placed,
  turned,
  WELL_FORMED_TEXT,
} from './fields.ts'
import { checkBox, type LayerDefinition, type ReportFault, type WithDefaults } from './layer-definition.ts'
import { roundLength } from './lengths.ts'

const StrokeSchema = Type.Object(
  {
    color: Color({ description: '#RRGGBB or #RRGGBBAA, sRGB.' }),
    widthMm: Type.Number({ exclusiveMinimum: 0, maximum: 1_000 }),
    dashMm: Type.Optional(
      Type.Array(Type.Number({ minimum: 0, maximum: 1_000 }), {
        minItems: 1,
        maxItems: 16,
        description: 'Alternating lengths of dashes and gaps in millimetres, as in SVG stroke-dasharray.',
      }),
    ),
  },
  closed,
)

const schema = Type.Object(
  {
    ...placed,
    type: Type.Literal('shape'),
    width: Extent('Width in millimetres; 0 only for a vertical line.'),
    height: Extent('Height in millimetres; 0 only for a horizontal line.'),
    ...turned,
    shape: OneOf(['rect', 'ellipse', 'line', 'path'], {
      description: "A line runs from the box's top left to its bottom right.",
    }),
    cornerRadius: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: DOCUMENT_LIMITS.sizeMm,
        description: 'Radius in millimetres. Only for rect.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        maxLength: DOCUMENT_LIMITS.pathLength,
        pattern: WELL_FORMED_TEXT,
        description: "SVG path data in millimetres from the layer's top left. Only for path.",
      }),
    ),
    fill: Type.Optional(Color({ description: '#RRGGBB or #RRGGBBAA, sRGB.' })),
    stroke: Type.Optional(StrokeSchema),
  },
  { ...closed, title: 'ShapeLayer' },
)

type Input = Static<typeof schema>
export type Stroke = Static<typeof StrokeSchema>
export type ShapeLayer = WithDefaults<Input, typeof BASE_DEFAULTS>

export const shapeLayer = {
  schema,
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
} as const satisfies LayerDefinition<Input>

function checkStroke({ widthMm, dashMm }: Stroke, report: ReportFault): void {
  if (roundLength(widthMm) === 0) {
    report('size_not_positive', '/stroke/widthMm', 'The width of a stroke must be more than 0.')
  }
  if (dashMm?.every((length) => roundLength(length) === 0)) {
    report('dash_without_length', '/stroke/dashMm', 'At least one dash or gap must be longer than 0.')
  }
}
