import Type, { type Static } from 'typebox'
import { BASE_DEFAULTS, box, closed, Id, OneOf, placed, turned } from './fields.ts'
import { checkBox, type LayerDefinition, type WithDefaults } from './layer-definition.ts'

const defaults = { ...BASE_DEFAULTS, fit: 'cover', flipX: false, flipY: false } as const

const Fraction = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

const CropSchema = Type.Object(
  {
    x: Fraction('Left edge, as a fraction of the image width.'),
    y: Fraction('Top edge, as a fraction of the image height.'),
    width: Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Fraction of the image width.' }),
    height: Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Fraction of the image height.' }),
  },
  { ...closed, description: 'The part of the upright image that is used, before flipping and fitting.' },
)

const schema = Type.Object(
  {
    ...placed,
    type: Type.Literal('image'),
    ...box,
    ...turned,
    assetId: Id('An uploaded asset.'),
    fit: Type.Optional(
      OneOf(['cover', 'contain', 'stretch'], {
        default: defaults.fit,
        description:
          'cover fills the box and clips the image, contain shows the whole image, stretch distorts it to fill the box.',
      }),
    ),
    crop: Type.Optional(CropSchema),
    flipX: Type.Optional(Type.Boolean({ default: defaults.flipX })),
    flipY: Type.Optional(Type.Boolean({ default: defaults.flipY })),
  },
  { ...closed, title: 'ImageLayer' },
)

type Input = Static<typeof schema>
export type Crop = Static<typeof CropSchema>
export type ImageLayer = WithDefaults<Input, typeof defaults>

export const imageLayer = {
  schema,
  defaults,
  assetIds: ({ assetId }) => [assetId],
  checkFields(layer, report) {
    checkBox(layer, 'image', report)
    if (layer.crop !== undefined && reachesOutside(layer.crop)) {
      report('crop_outside_image', '/crop', 'The crop reaches beyond the image: x + width or y + height > 1.')
    }
  },
} as const satisfies LayerDefinition<Input>

function reachesOutside({ x, y, width, height }: Crop): boolean {
  // Fractions such as 1/3 + 2/3 do not add up exactly.
  const limit = 1 + 1e-9
  return x + width > limit || y + height > limit
}
