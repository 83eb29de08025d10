import type { Db } from '../../platform/db/index.ts'
import { createProduct } from '../change-product.ts'
import type { NewProductBody, PriceTiers, PrintArea } from '../schemas.ts'
import { isCatalogueEmpty, lockEmptyCatalogue } from '../store.ts'
import { addPicture, type PictureStorage, storePictures } from './pictures.ts'

/**
 * Adds sample products to an empty catalogue, so that a first start has products to design.
 *
 * @param storage takes the pictures of the products; without it, they have none
 * @returns how many products were added
 */
export async function seedSampleCatalogue(db: Db, now: Date, storage?: PictureStorage): Promise<number> {
  if (!(await isCatalogueEmpty(db))) return 0
  const pictures = storage === undefined ? [] : await storePictures(storage)
  return db.transaction().execute(async (trx) => {
    if (!(await lockEmptyCatalogue(trx))) return 0
    for (const [index, product] of SAMPLE_CATALOGUE.entries()) {
      const picture = pictures[index]
      const images = picture === undefined ? [] : [{ assetId: await addPicture(trx, picture, now), alt: picture.alt }]
      await createProduct(trx, { ...product, images }, now)
    }
    return SAMPLE_CATALOGUE.length
  })
}

/** Builds price tiers from pairs of a minimum quantity and a price per piece in cents. */
function tiers(...rows: [minQuantity: number, unitAmount: number][]): PriceTiers {
  return rows.map(([minQuantity, unitAmount]) => ({ minQuantity, unitAmount }))
}

function area(id: string, name: string, widthMm: number, heightMm: number, rest: Partial<PrintArea> = {}): PrintArea {
  return { id, name, widthMm, heightMm, bleedMm: 3, safeMarginMm: 4, targetDpi: 300, required: true, ...rest }
}

const SHIRT_SIZES = ['S', 'M', 'L', 'XL', 'XXL']
const SHIRT_COLORS = ['White', 'Black', 'Navy']

export const SAMPLE_CATALOGUE: readonly NewProductBody[] = [
  {
    name: 'Business card',
    description: '85 × 55 mm on 350 g/m² board, printed in full colour on one or both sides.',
    categories: ['Business', 'Cards'],
    descriptionMarkdown: `A card that feels as good as it looks: heavy board, sharp type, and colours that stay true.

- **Board** of 350 g/m², with a smooth surface on both sides
- **Finish** matte or gloss
- Printed in full colour **on one or both sides**

Keep texts 3 mm away from the edges. Backgrounds reach 3 mm beyond them.`,
    sort: 10,
    currency: 'EUR',
    printAreas: [
      area('front', 'Front', 85, 55, { safeMarginMm: 3 }),
      area('back', 'Back', 85, 55, { safeMarginMm: 3, required: false }),
    ],
    options: [{ name: 'Finish', values: ['Matte', 'Gloss'] }],
    variants: [
      {
        sku: 'BC-8555-M',
        options: { Finish: 'Matte' },
        weightGrams: 2,
        priceTiers: tiers([1, 60], [50, 32], [100, 22], [250, 14], [500, 9], [1000, 6]),
      },
      {
        sku: 'BC-8555-G',
        options: { Finish: 'Gloss' },
        weightGrams: 2,
        priceTiers: tiers([1, 65], [50, 35], [100, 24], [250, 15], [500, 10], [1000, 7]),
      },
    ],
  },
  {
    name: 'A6 postcard',
    description: '148 × 105 mm on 300 g/m² card, printed in full colour on one or both sides.',
    categories: ['Cards', 'Gifts'],
    descriptionMarkdown: `Send a picture that will be pinned to a fridge.

- **Format** A6, 148 × 105 mm
- **Card** of 300 g/m², with a back that takes ink from any pen
- Printed in full colour **on one or both sides**`,
    sort: 20,
    currency: 'EUR',
    printAreas: [area('front', 'Front', 148, 105), area('back', 'Back', 148, 105, { required: false })],
    variants: [
      {
        sku: 'PC-A6',
        options: {},
        weightGrams: 5,
        priceTiers: tiers([1, 120], [10, 85], [25, 60], [50, 45], [100, 32], [250, 21], [500, 15]),
      },
    ],
  },
  {
    name: 'A3 poster',
    description: '297 × 420 mm, printed in full colour on one side.',
    categories: ['Wall art'],
    descriptionMarkdown: `Your photo or artwork, large enough to change a room.

- **Format** A3, 297 × 420 mm, fits standard frames
- **Paper** satin of 170 g/m² for photos, or matte of 200 g/m² for illustrations
- Shipped rolled in a tube`,
    sort: 30,
    currency: 'EUR',
    printAreas: [area('front', 'Front', 297, 420, { safeMarginMm: 5 })],
    options: [{ name: 'Paper', values: ['Satin 170 g', 'Matte 200 g'] }],
    variants: [
      {
        sku: 'PO-A3-S170',
        options: { Paper: 'Satin 170 g' },
        weightGrams: 21,
        priceTiers: tiers([1, 890], [5, 690], [10, 540], [25, 390], [50, 290], [100, 210]),
      },
      {
        sku: 'PO-A3-M200',
        options: { Paper: 'Matte 200 g' },
        weightGrams: 25,
        priceTiers: tiers([1, 1090], [5, 840], [10, 660], [25, 480], [50, 360], [100, 260]),
      },
    ],
  },
  {
    name: 'T-shirt',
    description: 'Organic cotton, 180 g/m², printed on the chest up to 300 × 400 mm.',
    categories: ['Clothing', 'Gifts'],
    descriptionMarkdown: `A classic cut in organic cotton, printed on the chest.

- **Cotton** organic, 180 g/m², pre-shrunk
- **Sizes** S to XXL, in white, black and navy
- **Print** up to 300 × 400 mm, washable at 30 °C

Images with a transparent background look best.`,
    sort: 40,
    currency: 'EUR',
    // A shirt is not trimmed, so it has no bleed.
    printAreas: [area('front', 'Front', 300, 400, { bleedMm: 0, safeMarginMm: 5, targetDpi: 150 })],
    options: [
      { name: 'Size', values: SHIRT_SIZES },
      { name: 'Colour', values: SHIRT_COLORS },
    ],
    variants: SHIRT_SIZES.flatMap((size, step) =>
      SHIRT_COLORS.map((color) => ({
        sku: `TS-${size}-${color.toUpperCase()}`,
        options: { Size: size, Colour: color },
        weightGrams: 150 + step * 15,
        priceTiers: tiers([1, 2190], [5, 1790], [10, 1490], [25, 1250], [50, 1090], [100, 950]),
      })),
    ),
  },
  {
    name: 'Mug',
    description: 'White ceramic, 330 ml, dishwasher safe, printed all around on 200 × 90 mm.',
    categories: ['Gifts'],
    descriptionMarkdown: `Morning coffee with a view: the print runs all around, from one side of the handle to the other.

- **Ceramic**, white, 330 ml
- Safe in **dishwasher and microwave**
- Printed on 200 × 90 mm`,
    sort: 50,
    currency: 'EUR',
    printAreas: [area('wrap', 'Wrap', 200, 90)],
    variants: [
      {
        sku: 'MG-330-W',
        options: {},
        weightGrams: 340,
        priceTiers: tiers([1, 1290], [6, 1090], [12, 940], [36, 790], [72, 690]),
      },
    ],
  },
]
