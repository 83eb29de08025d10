import Type, { type Static } from 'typebox'
import { IMAGE_DEFAULTS } from './defaults.ts'
import { box, closed, Id, OneOf, placed, turned } from './fields.ts'

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

export const ImageLayerSchema = Type.Object(
  {
    ...placed,
    type: Type.Literal('image'),
    ...box,
    ...turned,
    assetId: Id('An uploaded asset.'),
    fit: Type.Optional(
      OneOf(['cover', 'contain', 'stretch'], {
        default: IMAGE_DEFAULTS.fit,
        description:
          'cover fills the box and clips the image, contain shows the whole image, stretch distorts it to fill the box.',
      }),
    ),
    crop: Type.Optional(CropSchema),
    flipX: Type.Optional(Type.Boolean({ default: IMAGE_DEFAULTS.flipX })),
    flipY: Type.Optional(Type.Boolean({ default: IMAGE_DEFAULTS.flipY })),
  },
  { ...closed, title: 'ImageLayer' },
)

export type ImageLayerInput = Static<typeof ImageLayerSchema>
export type Crop = Static<typeof CropSchema>
