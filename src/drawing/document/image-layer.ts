import { checkBox, type LayerDefinition, type WithDefaults } from './layer-definition.ts'
import { IMAGE_DEFAULTS } from './schema/defaults.ts'
import type { Crop, ImageLayerInput } from './schema/image-layer.ts'

export type ImageLayer = WithDefaults<ImageLayerInput, typeof IMAGE_DEFAULTS>

export const imageLayer = {
  fields: ['assetId', 'fit', 'crop', 'flipX', 'flipY'],
  defaults: IMAGE_DEFAULTS,
  assetIds: ({ assetId }) => [assetId],
  checkFields(layer, report) {
    checkBox(layer, 'image', report)
    if (layer.crop !== undefined && reachesOutside(layer.crop)) {
      report('crop_outside_image', '/crop', 'The crop reaches beyond the image: x + width or y + height > 1.')
    }
  },
} as const satisfies LayerDefinition<ImageLayerInput>

function reachesOutside({ x, y, width, height }: Crop): boolean {
  // Fractions such as 1/3 + 2/3 do not add up exactly.
  const limit = 1 + 1e-9
  return x + width > limit || y + height > limit
}
