import { type Asset, findAssetsForDesign } from '../../assets/index.ts'
import { type DesignDocument, layerAssetIds } from '../../drawing/index.ts'
import type { Font } from '../../fonts/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { findProduct, type Product, type Variant } from '../../products/index.ts'
import type { DocumentChecks } from '../../rendering/index.ts'
import { findTemplateAssets } from '../../templates/index.ts'
import { type FontDeps, findOwnFonts, jobFontsOf } from '../fonts/design-fonts.ts'
import { toCheckProblem } from './to-check-problem.ts'

export interface CheckDeps extends FontDeps {
  checker: DocumentChecks
  /** Removes a waiting check from the queue when its client disconnects. */
  signal?: AbortSignal
}

/** The part of a design that preflight checks. */
export interface DesignContent {
  ownerId: string
  /** The template whose images the document may show, besides those of the owner. */
  templateId: string | null
  productId: string
  variantId: string
  document: DesignDocument
  documentJson: string
}

/** All that the preflight report of a design depends on, except for the installed fonts. */
export interface CheckInputs {
  content: DesignContent
  product: Product
  variant: Variant | undefined
  /** Whether product and variant are for sale. */
  available: boolean
  /** The images of the document that exist, by id. */
  assets: ReadonlyMap<string, Asset>
  /** The uploaded fonts of the owner that the document names. */
  ownFonts: readonly Font[]
}

/**
 * Reads everything against which a design is checked: its product in the current state, and the images and fonts of its
 * owner.
 *
 * @throws `too_many_fonts`
 */
export async function findCheckInputs(
  db: Db | Trx,
  content: DesignContent,
  known: { product?: Product } = {},
): Promise<CheckInputs> {
  const offer = known.product === undefined ? await findOffer(db, content) : offerOf(known.product, content)
  const assets = await findAssets(db, content, assetIdsOf(content.document))
  const ownFonts = await findOwnFonts(db, content.ownerId, content.document)
  return { content, ...offer, assets, ownFonts }
}

/** Computes a key that is equal for inputs that lead to the same report. */
export function keyOfInputs(inputs: CheckInputs): string {
  const { content, product, available, assets, ownFonts } = inputs
  const sizes = Array.from(assets.values(), ({ id, widthPx, heightPx }) => [id, widthPx, heightPx])
  const fonts = ownFonts.map(({ family, weight, style, sha256 }) => [family, weight, style, sha256])
  return `${JSON.stringify([product.status, product.printAreas, available, sizes, fonts])}\n${content.documentJson}`
}

/**
 * Checks a design. Only this function runs preflight, so saving, the report and finalizing always agree. It usually
 * takes milliseconds, but can take seconds: never call it in a transaction; use `withChecks`.
 *
 * @returns the report (`PreflightReport`) as JSON
 * @throws `text_too_complex`, `renderer_busy`, `storage_unavailable`
 */
export async function checkDesign({ checker, storage, signal }: CheckDeps, inputs: CheckInputs): Promise<string> {
  const { content, product, available, ownFonts } = inputs
  const { status, printAreas } = product
  const sizes = Array.from(inputs.assets, ([id, { widthPx, heightPx }]) => [id, { widthPx, heightPx }] as const)
  const job = {
    documentJson: content.documentJson,
    product: { status, printAreas, variantAvailable: available },
    assets: Object.fromEntries(sizes),
    fonts: await jobFontsOf(storage, ownFonts),
  }
  return checker.preflight(job, { owner: content.ownerId, signal }).catch((error: unknown) => {
    throw toCheckProblem(error, content.document)
  })
}

interface Offer {
  product: Product
  variant: Variant | undefined
  available: boolean
}

/** Finds the product and variant of a design in their current state. `available` states whether both are for sale. */
export async function findOffer(db: Db | Trx, content: Pick<DesignContent, 'productId' | 'variantId'>): Promise<Offer> {
  return offerOf(await requireProduct(db, content.productId), content)
}

/** Finds the product of a design. Products are archived, never deleted, so a missing one is an internal error. */
export async function requireProduct(db: Db | Trx, id: string): Promise<Product> {
  const product = await findProduct(db, id)
  if (product === undefined) throw new Error(`the product ${id} of a design does not exist`)
  return product
}

function offerOf(product: Product, { variantId }: Pick<DesignContent, 'variantId'>): Offer {
  const variant = product.variants.find(({ id }) => id === variantId)
  return { product, variant, available: product.status === 'active' && variant?.available === true }
}

/** Lists the images that a document names, each once. */
export function assetIdsOf(document: DesignDocument): string[] {
  const layers = document.placements.flatMap((placement) => placement.layers)
  return [...new Set(layers.flatMap(layerAssetIds))]
}

/** Finds those of the named images that exist and belong to the owner or to the template of the design, by id. */
export async function findAssets(
  db: Db | Trx,
  { ownerId, templateId }: Pick<DesignContent, 'ownerId' | 'templateId'>,
  ids: readonly string[],
): Promise<Map<string, Asset>> {
  const own = await findAssetsForDesign(db, ownerId, ids)
  const ofTemplate = templateId === null ? [] : await findTemplateAssets(db, templateId, ids)
  return new Map([...own, ...ofTemplate].map((asset) => [asset.id, asset]))
}
