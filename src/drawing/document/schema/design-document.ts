import Type, { type Static } from 'typebox'
import { closed, Id, OneOf, Size, WELL_FORMED_TEXT } from './fields.ts'
import { type ImageLayerInput, ImageLayerSchema } from './image-layer.ts'
import { DOCUMENT_LIMITS } from './limits.ts'
import { type QrLayerInput, QrLayerSchema } from './qr-layer.ts'
import { type ShapeLayerInput, ShapeLayerSchema } from './shape-layer.ts'
import { type TextLayerInput, TextLayerSchema } from './text-layer.ts'

/** A layer as a client sends it. */
export type LayerInput = TextLayerInput | ImageLayerInput | ShapeLayerInput | QrLayerInput

/**
 * The design document, version 1: what a customer puts on the print areas of a product.
 *
 * Lengths are in millimetres from the top left of the trim box, text sizes in points (1/72 inch), angles in degrees
 * clockwise, colours in sRGB. The schemas describe what a client may send, with `default` for fields that a client may
 * leave out. The types without `Input` describe the document after `normalizeDocument` has filled those defaults.
 */
const LayerSchema = Type.Unsafe<LayerInput>({
  title: 'Layer',
  type: 'object',
  required: ['type'],
  // With a discriminator, a validator reports only the faults for the stated type, and not the faults for every type.
  discriminator: { propertyName: 'type' },
  oneOf: [TextLayerSchema, ImageLayerSchema, ShapeLayerSchema, QrLayerSchema],
})

export const PlacementSchema = Type.Object(
  {
    printAreaId: Id("A print area of the design's product."),
    layers: Type.Array(LayerSchema, { maxItems: DOCUMENT_LIMITS.layers, description: 'The layers, bottom to top.' }),
  },
  { ...closed, title: 'Placement' },
)

export const DesignDocumentSchema = Type.Object(
  {
    version: Type.Literal(1),
    placements: Type.Array(PlacementSchema, { maxItems: DOCUMENT_LIMITS.placements }),
  },
  { ...closed, title: 'DesignDocument' },
)

export const PrintAreaSchema = Type.Object(
  {
    id: Id('Unique within the product.'),
    name: Type.String({ minLength: 1, maxLength: 100, pattern: WELL_FORMED_TEXT }),
    widthMm: Size('Width of the trim box.'),
    heightMm: Size('Height of the trim box.'),
    bleedMm: Type.Number({ minimum: 0, maximum: 100, description: 'Printed beyond each trim edge and cut off.' }),
    safeMarginMm: Type.Number({
      minimum: 0,
      maximum: 1_000,
      description: 'Width of the margin inside each trim edge that text and QR codes should not enter.',
    }),
    targetDpi: Type.Number({ minimum: 1, maximum: 2_400, description: 'Resolution that images should reach.' }),
    minDpi: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 2_400,
        description: 'Resolution below which images are rejected. Defaults to half of targetDpi.',
      }),
    ),
    required: Type.Boolean({ description: 'Whether a design must place at least one layer here.' }),
    shape: Type.Optional(
      OneOf(['rectangle', 'ellipse'], {
        description: 'The shape that is cut out: the trim box (rectangle, the default) or the ellipse inscribed in it.',
      }),
    ),
    cutPath: Type.Optional(
      OneOf(['spot', 'none'], {
        description:
          'spot adds the cut path to the print file, as a layer in the spot colour CutContour. none is the default.',
      }),
    ),
  },
  closed,
)

/** A document as a client sends it, valid against `DesignDocumentSchema`. */
export type DesignDocumentInput = Static<typeof DesignDocumentSchema>

export type PrintArea = Static<typeof PrintAreaSchema>
