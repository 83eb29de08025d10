import Type, { type Static } from 'typebox'
import { TEXT_DEFAULTS } from './defaults.ts'
import { box, Color, closed, OneOf, placed, turned, WELL_FORMED_TEXT } from './fields.ts'
import { DOCUMENT_LIMITS } from './limits.ts'

export const TextLayerSchema = Type.Object(
  {
    ...placed,
    type: Type.Literal('text'),
    ...box,
    ...turned,
    text: Type.String({
      maxLength: DOCUMENT_LIMITS.textLength,
      pattern: WELL_FORMED_TEXT,
      description:
        'Wraps in the box of the layer. `{{name}}` is a placeholder, for which each order item can have a text.',
    }),
    fontFamily: Type.String({ minLength: 1, maxLength: 100, pattern: WELL_FORMED_TEXT }),
    fontWeight: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 900,
        default: TEXT_DEFAULTS.fontWeight,
        description: 'The service uses the nearest available weight of the family.',
      }),
    ),
    fontStyle: Type.Optional(OneOf(['normal', 'italic'], { default: TEXT_DEFAULTS.fontStyle })),
    fontSizePt: Type.Number({ minimum: 0.1, maximum: 10_000, description: 'Points, 1/72 inch.' }),
    color: Type.Optional(Color({ default: TEXT_DEFAULTS.color, description: '#RRGGBB or #RRGGBBAA, sRGB.' })),
    align: Type.Optional(OneOf(['left', 'center', 'right', 'justify'], { default: TEXT_DEFAULTS.align })),
    verticalAlign: Type.Optional(OneOf(['top', 'middle', 'bottom'], { default: TEXT_DEFAULTS.verticalAlign })),
    lineHeight: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 10,
        default: TEXT_DEFAULTS.lineHeight,
        description: 'Multiple of the font size.',
      }),
    ),
    letterSpacing: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 10,
        default: TEXT_DEFAULTS.letterSpacing,
        description: 'Space added between letters, in em. Scripts whose letters join (such as Arabic) ignore it.',
      }),
    ),
  },
  { ...closed, title: 'TextLayer' },
)

export type TextLayerInput = Static<typeof TextLayerSchema>
