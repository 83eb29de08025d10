import Type, { type Static } from 'typebox'
import { Color, closed, Extent, OneOf, placed, turned, WELL_FORMED_TEXT } from './fields.ts'
import { DOCUMENT_LIMITS } from './limits.ts'

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

export const ShapeLayerSchema = Type.Object(
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

export type ShapeLayerInput = Static<typeof ShapeLayerSchema>
export type Stroke = Static<typeof StrokeSchema>
