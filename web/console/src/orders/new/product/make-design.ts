import { platen, queryClient } from '@platen/app/session'
import { type DesignDocument, PlatenError, type PrintArea, type Product } from '@platen/client'
import { noteOwnChanges } from '../../../live/unread-events.ts'

export interface NewDesign {
  product: Product
  variantId: string
  /** Undefined: the pictures are the design. */
  templateId: string | undefined
  /** Pictures by the ids of their print areas. */
  pictures: ReadonlyMap<string, File>
}

/** Creates a design for a customer, and finalizes it. Returns its id. */
export async function makeDesign({ product, variantId, templateId, pictures }: NewDesign, customer: string) {
  const content = templateId === undefined ? { document: await place(pictures, product, customer) } : { templateId }
  const { id } = await platen.designs.create({ productId: product.id, variantId, ...content }, { customer })
  noteOwnChanges(queryClient, [{ id }])
  try {
    await platen.designs.finalize(id, { customer })
  } catch (error) {
    // The customer has no editor, so a draft with faults would only be in the way.
    if (error instanceof PlatenError && error.code === 'preflight_failed')
      await platen.designs.archive(id, { customer })
    throw error
  }
  return id
}

/** Uploads pictures for a customer, and lets each fill its print area. */
async function place(
  pictures: ReadonlyMap<string, File>,
  { printAreas }: Product,
  customer: string,
): Promise<DesignDocument> {
  const placements = []
  for (const area of printAreas) {
    const picture = pictures.get(area.id)
    if (picture === undefined) continue
    const { id: assetId } = await platen.assets.upload(picture, { customer })
    placements.push({
      printAreaId: area.id,
      layers: [{ id: 'picture', type: 'image' as const, assetId, ...wholeBoxOf(area) }],
    })
  }
  return { version: 1, placements }
}

/** The print area with its bleed. Lengths have three decimals at most. */
const wholeBoxOf = ({ widthMm, heightMm, bleedMm }: PrintArea) => ({
  x: -bleedMm,
  y: -bleedMm,
  width: Number((widthMm + 2 * bleedMm).toFixed(3)),
  height: Number((heightMm + 2 * bleedMm).toFixed(3)),
})
