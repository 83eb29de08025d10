import { type Static, Type } from 'typebox'
import { PageQuery, pageOf } from '../platform/http/responses/pagination.ts'

const closed = { additionalProperties: false } as const

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const oneOf = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })
const lengthMm = (description: string, options: object) =>
  Type.Number({ ...options, description: `${description} Millimetres, at most 3 decimals.` })

/** Equals the type `PrintArea` of the drawing code, which a test checks. */
export const PrintAreaBody = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'Unique within the product. Placements of designs refer to it.',
    }),
    name: text(100),
    widthMm: lengthMm('Width of the trim box.', { exclusiveMinimum: 0, maximum: 10_000 }),
    heightMm: lengthMm('Height of the trim box.', { exclusiveMinimum: 0, maximum: 10_000 }),
    bleedMm: lengthMm('Area beyond each trim edge that is printed and cut off.', { minimum: 0, maximum: 100 }),
    safeMarginMm: lengthMm('Area inside each trim edge that text must not enter.', { minimum: 0, maximum: 1_000 }),
    targetDpi: Type.Number({ minimum: 1, maximum: 2_400, description: 'Recommended resolution of images.' }),
    minDpi: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 2_400,
        description:
          'Resolution below which an image is a preflight error, at most `targetDpi`. Default: half of `targetDpi`.',
      }),
    ),
    required: Type.Boolean({ description: 'Whether a design must place at least one layer here.' }),
    shape: Type.Optional(
      oneOf(['rectangle', 'ellipse'], {
        description:
          '`rectangle` (default): the product is cut along the trim box. `ellipse`: it is cut along the ellipse inscribed in the trim box; safe margin and bleed are measured at right angles to the ellipse. The print file always covers the whole bleed box.',
      }),
    ),
    cutPath: Type.Optional(
      oneOf(['spot', 'none'], {
        description:
          '`spot`: the print file contains the trim edge as a hairline of 0.25 pt in the spot colour `CutContour`, overprinting, on an optional layer of that name. Default: no cut path.',
      }),
    ),
  },
  { ...closed, title: 'PrintArea' },
)
export type PrintArea = Static<typeof PrintAreaBody>

const PriceTierBody = Type.Object(
  {
    minQuantity: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Smallest quantity with this price. The quantity of each order item is counted separately.',
    }),
    unitAmount: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Price of one piece, in minor units of the currency of the product.',
    }),
  },
  { ...closed, title: 'PriceTier' },
)

/** Prices by quantity, in ascending order, starting with a quantity of one. */
export const PriceTiersBody = Type.Array(PriceTierBody, { minItems: 1, maxItems: 50 })
export type PriceTiers = Static<typeof PriceTiersBody>

const OptionBody = Type.Object(
  { name: text(50), values: Type.Array(text(50), { minItems: 1, maxItems: 100, uniqueItems: true }) },
  { ...closed, title: 'ProductOption' },
)
export type ProductOption = Static<typeof OptionBody>

const chosen = (options: object) =>
  Type.Record(Type.String(), text(50), {
    ...options,
    maxProperties: 10,
    description: 'One value for each option of the product, by name of the option.',
  })
const variantMembers = {
  sku: Type.String({
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    description: 'Stock-keeping unit, unique within the product.',
  }),
  options: chosen({}),
  weightGrams: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Weight of one piece in grams.' }),
  priceTiers: PriceTiersBody,
}
const available = (options: object) =>
  Type.Boolean({ ...options, description: 'Whether the variant can currently be designed and ordered.' })

const VariantBody = Type.Object(
  { id: Type.String(), ...variantMembers, available: available({}) },
  { ...closed, title: 'Variant' },
)
export type Variant = Static<typeof VariantBody>

const newVariantMembers = {
  ...variantMembers,
  // Optional, because a product without options offers no choice.
  options: Type.Optional(chosen({ default: {} })),
  available: Type.Optional(available({ default: true })),
}

const NewVariant = Type.Object(newVariantMembers, { ...closed, title: 'NewVariant' })

const ChangedVariant = Type.Object(
  {
    id: Type.Optional(Type.String({ maxLength: 64, description: 'Id of an existing variant. Omit it for a new one.' })),
    ...newVariantMembers,
  },
  { ...closed, title: 'ChangedVariant' },
)
/** A variant in a request; a new variant has no id. */
export type VariantInput = Static<typeof ChangedVariant>

const name = text(200)
const description = Type.String({ maxLength: 5_000 })
export const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217 code of the currency of every price.',
})
const printAreas = Type.Array(PrintAreaBody, { minItems: 1, maxItems: 20 })
const OUTPUT_PROFILE =
  'Id of the colour profile of the printing condition for which print files of this product are made. Absent for sRGB.'
const options = Type.Array(OptionBody, { maxItems: 10 })
const status = oneOf(['active', 'archived'])

/** A stored image of a product: an asset of the shop. */
export interface ProductImage {
  id: string
  alt: string
}

const alt = Type.String({ maxLength: 300, description: 'Text for readers who do not see the image.' })
const ProductImageBody = Type.Object(
  {
    id: Type.String(),
    url: Type.String({
      description:
        'Path below the origin of the service. It needs no credential, and `?width=` selects the size of the image.',
    }),
    alt,
  },
  { ...closed, title: 'ProductImage' },
)
export type ProductImageBody = Static<typeof ProductImageBody>
const NewProductImage = Type.Object(
  {
    assetId: Type.String({
      maxLength: 64,
      description: 'An asset of the administrator, which becomes an image of the shop, or the `id` of such an image.',
    }),
    alt,
  },
  { ...closed, title: 'NewProductImage' },
)
export type ProductImageInput = Static<typeof NewProductImage>

const CATEGORIES = {
  maxItems: 20,
  uniqueItems: true,
  description: 'Names of categories, under which shops list the product.',
} as const
const MARKDOWN = {
  description: 'A longer description in CommonMark. A client that shows it must not run HTML that it contains.',
}
const SORT = {
  description: 'Lists show products with a lower number first. Equal numbers are in the order of the names.',
}
const category = Type.String({ minLength: 1, maxLength: 50, pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}]+$' })
/** What a shop shows of a product, in requests. */
const shown = {
  images: Type.Array(NewProductImage, { maxItems: 10, description: 'Pictures of the product, the main one first.' }),
  categories: Type.Array(category, CATEGORIES),
  descriptionMarkdown: Type.String({ maxLength: 20_000, ...MARKDOWN }),
  sort: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, ...SORT }),
}
const MAX_VARIANTS = 500
const timestamp = Type.String({ format: 'date-time' })

export const ProductBody = Type.Object(
  {
    id: Type.String(),
    name,
    description,
    status,
    currency,
    printAreas,
    outputProfileId: Type.Optional(Type.String({ description: OUTPUT_PROFILE })),
    options,
    variants: Type.Array(VariantBody),
    images: Type.Array(ProductImageBody, { description: 'Pictures of the product, the main one first.' }),
    categories: Type.Array(Type.String(), CATEGORIES),
    descriptionMarkdown: Type.String(MARKDOWN),
    sort: Type.Integer(SORT),
    revision: Type.Integer({ description: 'Counts the changes of the product. The `ETag` contains it.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { ...closed, title: 'Product' },
)
export type ProductBody = Static<typeof ProductBody>

export const ProductPage = pageOf(ProductBody)

export const NewProductBody = Type.Object(
  {
    name,
    description: Type.Optional(Type.String({ maxLength: 5_000, default: '' })),
    currency,
    printAreas,
    outputProfileId: Type.Optional(Type.String({ maxLength: 64, description: OUTPUT_PROFILE })),
    options: Type.Optional(Type.Array(OptionBody, { maxItems: 10, default: [] })),
    variants: Type.Array(NewVariant, { minItems: 1, maxItems: MAX_VARIANTS }),
    ...Type.Partial(Type.Object(shown)).properties,
  },
  closed,
)
export type NewProductBody = Static<typeof NewProductBody>

export const ProductChangesBody = Type.Partial(
  Type.Object({
    name,
    description,
    currency,
    status,
    printAreas,
    outputProfileId: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
      description: `${OUTPUT_PROFILE} \`null\` removes it.`,
    }),
    options,
    variants: Type.Array(ChangedVariant, {
      minItems: 1,
      maxItems: MAX_VARIANTS,
      description: 'All variants. A variant that the list omits is removed.',
    }),
    ...shown,
  }),
  { ...closed, minProperties: 1 },
)
export type ProductChangesBody = Static<typeof ProductChangesBody>

export const ProductParams = Type.Object({ productId: Type.String() }, closed)

export const ProductListQuery = Type.Object(
  {
    ...PageQuery.properties,
    status: Type.Optional(oneOf(['active', 'archived'], { default: 'active' })),
    category: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'One of `categories`.' })),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Words or beginnings of words of name, descriptions and categories. A product must have all of them. Case and accents make no difference.',
      }),
    ),
  },
  closed,
)

export const ProductImageParams = Type.Object({ productId: Type.String(), imageId: Type.String() }, closed)

/** Few sizes, so that caches hold each image only a few times. */
export const IMAGE_WIDTHS = [160, 320, 640, 1280] as const

export const ProductImageQuery = Type.Object(
  {
    width: Type.Unsafe<number>({
      type: 'integer',
      enum: IMAGE_WIDTHS,
      default: 640,
      description: 'The longest side in pixels. A smaller image keeps its size.',
    }),
  },
  closed,
)

export const ProductImageFile = {
  description: 'The image.',
  content: { 'image/webp': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}

export interface Product {
  id: string
  name: string
  description: string
  status: ProductBody['status']
  currency: string
  printAreas: PrintArea[]
  outputProfileId?: string
  options: ProductOption[]
  variants: Variant[]
  images: ProductImage[]
  categories: string[]
  descriptionMarkdown: string
  sort: number
  revision: number
  createdAt: Date
  updatedAt: Date
}

export function toProductBody(product: Product): ProductBody {
  return {
    ...product,
    images: product.images.map(({ id, alt }) => ({ id, url: `/v1/products/${product.id}/images/${id}`, alt })),
    createdAt: product.createdAt.toISOString(),
    updatedAt: product.updatedAt.toISOString(),
  }
}
