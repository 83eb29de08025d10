import type { LayerDefinition, WithDefaults } from './layer-definition.ts'
import { QR_DEFAULTS } from './schema/defaults.ts'
import { DOCUMENT_LIMITS } from './schema/limits.ts'
import type { QrLayerInput } from './schema/qr-layer.ts'

export type QrLayer = WithDefaults<QrLayerInput, typeof QR_DEFAULTS>

export const qrLayer = {
  fields: ['value', 'errorCorrection', 'color', 'background'],
  defaults: QR_DEFAULTS,
  content: {
    field: 'value',
    maxLength: DOCUMENT_LIMITS.qrLength,
    name: 'QR value',
    tooLongCode: 'qr_value_too_long',
  },
} as const satisfies LayerDefinition<QrLayerInput>
