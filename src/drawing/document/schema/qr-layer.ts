import Type, { type Static } from 'typebox'
import { QR_DEFAULTS } from './defaults.ts'
import { box, Color, closed, OneOf, placed, turned, WELL_FORMED_TEXT } from './fields.ts'
import { DOCUMENT_LIMITS } from './limits.ts'

export const QrLayerSchema = Type.Object(
  {
    ...placed,
    type: Type.Literal('qr'),
    ...box,
    ...turned,
    value: Type.String({ minLength: 1, maxLength: DOCUMENT_LIMITS.qrLength, pattern: WELL_FORMED_TEXT }),
    errorCorrection: Type.Optional(OneOf(['L', 'M', 'Q', 'H'], { default: QR_DEFAULTS.errorCorrection })),
    color: Type.Optional(Color({ default: QR_DEFAULTS.color, description: 'Colour of the modules.' })),
    background: Type.Optional(
      Color({ default: QR_DEFAULTS.background, description: 'Colour of the box, including the quiet zone.' }),
    ),
  },
  { ...closed, title: 'QrLayer' },
)

export type QrLayerInput = Static<typeof QrLayerSchema>
