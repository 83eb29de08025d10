import Type, { type Static } from 'typebox'
import {
  BASE_DEFAULTS,
  box,
  Color,
  closed,
  DOCUMENT_LIMITS,
  OneOf,
  placed,
  turned,
  WELL_FORMED_TEXT,
} from './fields.ts'
import type { LayerDefinition, WithDefaults } from './layer-definition.ts'

const defaults = {
  ...BASE_DEFAULTS,
  fontWeight: 400,
  fontStyle: 'normal',
  color: '#000000',
  align: 'left',
  verticalAlign: 'top',
  lineHeight: 1.2,
  letterSpacing: 0,
} as const

const schema = Type.Object(
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
        default: defaults.fontWeight,
        description: 'The service uses the nearest available weight of the family.',
      }),
    ),
    fontStyle: Type.Optional(OneOf(['normal', 'italic'], { default: defaults.fontStyle })),
    fontSizePt: Type.Number({ minimum: 0.1, maximum: 10_000, description: 'Points, 1/72 inch.' }),
    color: Type.Optional(Color({ default: defaults.color, description: '#RRGGBB or #RRGGBBAA, sRGB.' })),
    align: Type.Optional(OneOf(['left', 'center', 'right', 'justify'], { default: defaults.align })),
    verticalAlign: Type.Optional(OneOf(['top', 'middle', 'bottom'], { default: defaults.verticalAlign })),
    lineHeight: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 10,
        default: defaults.lineHeight,
        description: 'Multiple of the font size.',
      }),
    ),
    letterSpacing: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 10,
        default: defaults.letterSpacing,
        description: 'Space added between letters, in em. Scripts whose letters join (such as Arabic) ignore it.',
      }),
    ),
  },
  { ...closed, title: 'TextLayer' },
)

type Input = Static<typeof schema>
export type TextLayer = WithDefaults<Input, typeof defaults>

export const textLayer = {
  schema,
  defaults,
  content: { field: 'text', maxLength: DOCUMENT_LIMITS.textLength, name: 'text', tooLongCode: 'too_much_text' },
  fonts: ({ fontFamily, fontWeight, fontStyle }) => [
    { family: fontFamily, weight: fontWeight ?? defaults.fontWeight, style: fontStyle ?? defaults.fontStyle },
  ],
} as const satisfies LayerDefinition<Input>
