import type { LayerDefinition, WithDefaults } from './layer-definition.ts'
import { TEXT_DEFAULTS } from './schema/defaults.ts'
import { DOCUMENT_LIMITS } from './schema/limits.ts'
import type { TextLayerInput } from './schema/text-layer.ts'

export type TextLayer = WithDefaults<TextLayerInput, typeof TEXT_DEFAULTS>

export const textLayer = {
  fields: [
    'text',
    'fontFamily',
    'fontWeight',
    'fontStyle',
    'fontSizePt',
    'color',
    'align',
    'verticalAlign',
    'lineHeight',
    'letterSpacing',
  ],
  defaults: TEXT_DEFAULTS,
  content: { field: 'text', maxLength: DOCUMENT_LIMITS.textLength, name: 'text', tooLongCode: 'too_much_text' },
  fonts: ({ fontFamily, fontWeight, fontStyle }) => [
    { family: fontFamily, weight: fontWeight ?? TEXT_DEFAULTS.fontWeight, style: fontStyle ?? TEXT_DEFAULTS.fontStyle },
  ],
} as const satisfies LayerDefinition<TextLayerInput>
