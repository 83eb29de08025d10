import Type, { type Static, type TSchema } from 'typebox'

/**
 * The version-1 design document: what a customer puts on the print areas of a product.
 *
 * Lengths are millimetres from the trim box's top left, text sizes points (1/72 inch), angles degrees clockwise,
 * colours sRGB. The schemas describe what a client may send, with `default` where a field may be left out;
 * the static types without `Input` describe the document after `normalizeDocument`, which fills those defaults.
 */
export const DOCUMENT_LIMITS = {
  layers: 200,
  placements: 50,
  textLength: 10_000,
  /** All texts and QR values of a document together. Both are worked on synchronously: this bounds a request's time. */
  totalTextLength: 20_000,
  pathLength: 65_536,
  /** All path data of a document together. It is read and measured synchronously, like texts. */
  totalPathLength: 200_000,
  /** Dashes of all strokes of a document, see `countDashes`. */
  dashes: 20_000,
  sizeMm: 10_000,
  /** The longest text a QR code can hold at all (version 40, level L, digits only). */
  qrLength: 7_089,
} as const

// NUL and lone surrogates cannot be stored as UTF-8 text, nor drawn.
const WELL_FORMED_TEXT = '^[^\\u0000\\ud800-\\udfff]*$'
const COLOR = '^#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$'
const ID = '^[A-Za-z0-9_-]{1,64}$'

const closed = { additionalProperties: false } as const

const Id = (description: string) => Type.String({ pattern: ID, description })
const Color = (options: { default?: string; description: string }) => Type.String({ pattern: COLOR, ...options })
const Position = (description: string) =>
  Type.Number({ minimum: -DOCUMENT_LIMITS.sizeMm, maximum: DOCUMENT_LIMITS.sizeMm, description })
const Size = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: DOCUMENT_LIMITS.sizeMm, description })
// A horizontal line has no height and a vertical one no width.
const Extent = (description: string) => Type.Number({ minimum: 0, maximum: DOCUMENT_LIMITS.sizeMm, description })
const OneOf = <const Values extends readonly string[]>(
  values: Values,
  options: { default?: Values[number]; description?: string } = {},
) => Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })

const placement = {
  id: Id('Unique within the document; chosen by the client.'),
  x: Position('Left edge in millimetres from the trim box, before rotation.'),
  y: Position('Top edge in millimetres from the trim box, before rotation.'),
}
const turned = {
  rotation: Type.Optional(
    Type.Number({ minimum: -360, maximum: 360, default: 0, description: 'Degrees clockwise around the centre.' }),
  ),
  opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 })),
}
const box = { width: Size('Width in millimetres.'), height: Size('Height in millimetres.') }

export const TextLayerSchema = Type.Object(
  {
    ...placement,
    type: Type.Literal('text'),
    ...box,
    ...turned,
    text: Type.String({
      maxLength: DOCUMENT_LIMITS.textLength,
      pattern: WELL_FORMED_TEXT,
      description: 'Wraps in its box. `{{name}}` is a placeholder, filled per order item.',
    }),
    fontFamily: Type.String({ minLength: 1, maxLength: 100, pattern: WELL_FORMED_TEXT }),
    fontWeight: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 900, default: 400, description: 'The nearest installed weight is used.' }),
    ),
    fontStyle: Type.Optional(OneOf(['normal', 'italic'], { default: 'normal' })),
    fontSizePt: Type.Number({ minimum: 0.1, maximum: 10_000, description: 'Points, 1/72 inch.' }),
    color: Type.Optional(Color({ default: '#000000', description: '#RRGGBB or #RRGGBBAA, sRGB.' })),
    align: Type.Optional(OneOf(['left', 'center', 'right', 'justify'], { default: 'left' })),
    verticalAlign: Type.Optional(OneOf(['top', 'middle', 'bottom'], { default: 'top' })),
    lineHeight: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10, default: 1.2, description: 'Times the size.' })),
    letterSpacing: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 10,
        default: 0,
        description: 'In em. Scripts whose letters join (Arabic and others) ignore it.',
      }),
    ),
  },
  { ...closed, title: 'TextLayer' },
)

const Fraction = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

export const CropSchema = Type.Object(
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
    ...placement,
    type: Type.Literal('image'),
    ...box,
    ...turned,
    assetId: Id('An uploaded asset.'),
    fit: Type.Optional(
      OneOf(['cover', 'contain', 'stretch'], {
        default: 'cover',
        description: 'cover fills the box and cuts what stands out, contain shows all, stretch distorts.',
      }),
    ),
    crop: Type.Optional(CropSchema),
    flipX: Type.Optional(Type.Boolean({ default: false })),
    flipY: Type.Optional(Type.Boolean({ default: false })),
  },
  { ...closed, title: 'ImageLayer' },
)

export const StrokeSchema = Type.Object(
  {
    color: Color({ description: '#RRGGBB or #RRGGBBAA, sRGB.' }),
    widthMm: Type.Number({ exclusiveMinimum: 0, maximum: 1_000 }),
    dashMm: Type.Optional(
      Type.Array(Type.Number({ minimum: 0, maximum: 1_000 }), {
        minItems: 1,
        maxItems: 16,
        description: 'Lengths of dashes and gaps in turn, as SVG stroke-dasharray.',
      }),
    ),
  },
  closed,
)

export const ShapeLayerSchema = Type.Object(
  {
    ...placement,
    type: Type.Literal('shape'),
    width: Extent('Width in millimetres; 0 only for a vertical line.'),
    height: Extent('Height in millimetres; 0 only for a horizontal line.'),
    ...turned,
    shape: OneOf(['rect', 'ellipse', 'line', 'path'], {
      description: "A line runs from the box's top left to its bottom right.",
    }),
    cornerRadius: Type.Optional(
      Type.Number({ minimum: 0, maximum: DOCUMENT_LIMITS.sizeMm, description: 'Millimetres; rect only.' }),
    ),
    path: Type.Optional(
      Type.String({
        maxLength: DOCUMENT_LIMITS.pathLength,
        pattern: WELL_FORMED_TEXT,
        description: "SVG path data in millimetres from the layer's top left; path only.",
      }),
    ),
    fill: Type.Optional(Color({ description: '#RRGGBB or #RRGGBBAA, sRGB.' })),
    stroke: Type.Optional(StrokeSchema),
  },
  { ...closed, title: 'ShapeLayer' },
)

export const QrLayerSchema = Type.Object(
  {
    ...placement,
    type: Type.Literal('qr'),
    ...box,
    ...turned,
    value: Type.String({ minLength: 1, maxLength: DOCUMENT_LIMITS.qrLength, pattern: WELL_FORMED_TEXT }),
    errorCorrection: Type.Optional(OneOf(['L', 'M', 'Q', 'H'], { default: 'M' })),
    color: Type.Optional(Color({ default: '#000000', description: 'Of the modules.' })),
    background: Type.Optional(Color({ default: '#FFFFFF', description: 'Of the box, quiet zone included.' })),
  },
  { ...closed, title: 'QrLayer' },
)

type LayerInput =
  | Static<typeof TextLayerSchema>
  | Static<typeof ImageLayerSchema>
  | Static<typeof ShapeLayerSchema>
  | Static<typeof QrLayerSchema>

/** With `discriminator`, a validator reports what is wrong in the layer of the stated type, not in all four. */
export const LayerSchema = Type.Unsafe<LayerInput>({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [TextLayerSchema, ImageLayerSchema, ShapeLayerSchema, QrLayerSchema] satisfies TSchema[],
})

export const PlacementSchema = Type.Object(
  {
    printAreaId: Id("A print area of the design's product."),
    layers: Type.Array(LayerSchema, { maxItems: DOCUMENT_LIMITS.layers, description: 'Bottom to top.' }),
  },
  closed,
)

export const DesignDocumentSchema = Type.Object(
  {
    version: Type.Literal(1),
    placements: Type.Array(PlacementSchema, { maxItems: DOCUMENT_LIMITS.placements }),
  },
  closed,
)

export const PrintAreaSchema = Type.Object(
  {
    id: Id('Unique within the product.'),
    name: Type.String({ minLength: 1, maxLength: 100, pattern: WELL_FORMED_TEXT }),
    widthMm: Size('Width of the trim box.'),
    heightMm: Size('Height of the trim box.'),
    bleedMm: Type.Number({ minimum: 0, maximum: 100, description: 'Printed beyond each trim edge and cut off.' }),
    safeMarginMm: Type.Number({ minimum: 0, maximum: 1_000, description: 'Kept free of text inside each trim edge.' }),
    targetDpi: Type.Number({ minimum: 1, maximum: 2_400, description: 'Resolution that images should reach.' }),
    minDpi: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 2_400,
        description: 'Resolution below which images are refused; half of targetDpi when left out.',
      }),
    ),
    required: Type.Boolean({ description: 'Whether a design must place something here.' }),
    shape: Type.Optional(
      OneOf(['rectangle', 'ellipse'], {
        description: 'What is cut out: the trim box (when left out), or the ellipse inscribed in it.',
      }),
    ),
    cutPath: Type.Optional(
      OneOf(['spot', 'none'], {
        description: 'spot draws the cut into the print file, as a layer in the spot colour CutContour; else none is.',
      }),
    ),
  },
  closed,
)

/** A document as a client sends it, valid against `DesignDocumentSchema`. */
export type DesignDocumentInput = Static<typeof DesignDocumentSchema>
export type { LayerInput }

type Filled<Input, Defaulted extends keyof Input> = Omit<Input, Defaulted> & Required<Pick<Input, Defaulted>>

export type Crop = Static<typeof CropSchema>
export type Stroke = Static<typeof StrokeSchema>
export type TextLayer = Filled<
  Static<typeof TextLayerSchema>,
  | 'rotation'
  | 'opacity'
  | 'fontWeight'
  | 'fontStyle'
  | 'color'
  | 'align'
  | 'verticalAlign'
  | 'lineHeight'
  | 'letterSpacing'
>
export type ImageLayer = Filled<Static<typeof ImageLayerSchema>, 'rotation' | 'opacity' | 'fit' | 'flipX' | 'flipY'>
export type ShapeLayer = Filled<Static<typeof ShapeLayerSchema>, 'rotation' | 'opacity'>
export type QrLayer = Filled<
  Static<typeof QrLayerSchema>,
  'rotation' | 'opacity' | 'errorCorrection' | 'color' | 'background'
>

/** One layer of a normalized document. */
export type Layer = TextLayer | ImageLayer | ShapeLayer | QrLayer
export type Placement = { printAreaId: string; layers: Layer[] }

/** A normalized document: the form that is stored, checked and drawn. */
export type DesignDocument = { version: 1; placements: Placement[] }

/** The size of an upright image in pixels. */
export interface AssetSize {
  widthPx: number
  heightPx: number
}

export type PrintArea = Static<typeof PrintAreaSchema>
