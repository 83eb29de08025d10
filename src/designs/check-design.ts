import { type Asset, findAssetsForDesign } from '../assets/index.ts'
import { type DesignDocument, type PreflightReport, preflight } from '../drawing/index.ts'
import type { Font } from '../fonts/index.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { findProduct, type Product, type Variant } from '../products/index.ts'
import { type FontDeps, findOwnFonts } from './fonts/design-fonts.ts'
import type { OpenFonts } from './fonts/with-open-fonts.ts'

export type CheckDeps = FontDeps

/** What a design is made of and for, and what is wrong with it. */
export interface CheckedDesign {
  product: Product
  /** Undefined when the product no longer has it. */
  variant: Variant | undefined
  /** Those images of the document that exist, by id. */
  assets: ReadonlyMap<string, Asset>
  /** Those of the owner's fonts that are of families the document names. */
  ownFonts: readonly Font[]
  report: PreflightReport
}

/** The part of a design that is checked. */
export interface DesignContent {
  ownerId: string
  productId: string
  variantId: string
  document: DesignDocument
}

/**
 * Checks a design against its product as it is now, the owner's images, and the fonts of the owner and the installation.
 * The one place that runs preflight: saving, asking for a report and finalizing all judge alike.
 *
 * @param open of `withOpenFonts`, around the transaction
 */
export async function checkDesign(db: Db | Trx, open: OpenFonts, content: DesignContent): Promise<CheckedDesign> {
  const { product, variant, available } = await findOffer(db, content)
  const assets = await findAssets(db, content.ownerId, assetIdsOf(content.document))
  const ownFonts = await findOwnFonts(db, content.ownerId, content.document)
  const fonts = open.bookOf(ownFonts)
  const { status, printAreas } = product
  const offer = { status, printAreas, variantAvailable: available }
  const report = preflight({ document: content.document, product: offer, assets, fonts })
  return { product, variant, assets, ownFonts, report }
}

/** The product and variant of a design as they are sold now. `available` tells whether they are. */
export async function findOffer(
  db: Db | Trx,
  { productId, variantId }: Pick<DesignContent, 'productId' | 'variantId'>,
): Promise<{ product: Product; variant: Variant | undefined; available: boolean }> {
  const product = await findProduct(db, productId)
  // Products are archived, never deleted.
  if (product === undefined) throw new Error(`The product ${productId} of a design is gone`)
  const variant = product.variants.find(({ id }) => id === variantId)
  return { product, variant, available: product.status === 'active' && variant?.available === true }
}

/** The images a document names, each once. */
export function assetIdsOf(document: DesignDocument): string[] {
  const layers = document.placements.flatMap((placement) => placement.layers)
  return [...new Set(layers.flatMap((layer) => (layer.type === 'image' ? [layer.assetId] : [])))]
}

/** Those of the named images that exist and belong to the owner, by id. */
export async function findAssets(db: Db | Trx, ownerId: string, ids: readonly string[]): Promise<Map<string, Asset>> {
  const found = await findAssetsForDesign(db, ownerId, ids)
  return new Map(found.map((asset) => [asset.id, asset]))
}
