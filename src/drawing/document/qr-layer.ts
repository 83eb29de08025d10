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

const defaults = { ...BASE_DEFAULTS, errorCorrection: 'M', color: '#000000', background: '#FFFFFF' } as const

const schema = Type.Object(
  {
    ...placed,
    type: Type.Literal('qr'),
    ...box,
    ...turned,
    value: Type.String({ minLength: 1, maxLength: DOCUMENT_LIMITS.qrLength, pattern: WELL_FORMED_TEXT }),
    errorCorrection: Type.Optional(OneOf(['L', 'M', 'Q', 'H'], { default: defaults.errorCorrection })),
    color: Type.Optional(Color({ default: defaults.color, description: 'Colour of the modules.' })),
    background: Type.Optional(
      Color({ default: defaults.background, description: 'Colour of the box, including the quiet zone.' }),
    ),
  },
  { ...closed, title: 'QrLayer' },
)

type Input = Static<typeof schema>
export type QrLayer = WithDefaults<Input, typeof defaults>

export const qrLayer = {
  schema,
  defaults,
  content: {
    field: 'value',
    maxLength: DOCUMENT_LIMITS.qrLength,
    name: 'QR value',
    tooLongCode: 'qr_value_too_long',
  },
} as const satisfies LayerDefinition<Input>
