import { SHOP_OWNER } from '../assets/index.ts'
import type { ChangeType, Editor } from '../change-records/index.ts'
import { lockColorProfile } from '../color-profiles/index.ts'
import type { Trx } from '../platform/db/index.ts'
import { recordProduct } from './history/record-product.ts'
import { newId } from './ids.ts'
import { takeImages } from './images/take-images.ts'
import { productProblems } from './problems.ts'
import { checkProduct } from './rules.ts'
import type { NewProductBody, Product, ProductChangesBody, Variant, VariantInput } from './schemas.ts'
import { insertProduct, lockProduct, updateProduct } from './store.ts'

/**
 * Adds a product.
 *
 * @param editor undefined for the service itself, whose products have no record of who changed them
 * @param status an archived product is not in the shop yet
 * @throws `product_invalid`
 */
export async function createProduct(
  trx: Trx,
  input: NewProductBody,
  now: Date,
  editor?: Editor,
  status: Product['status'] = 'active',
): Promise<Product> {
  const product: Product = {
    id: newId('product'),
    name: input.name,
    description: input.description ?? '',
    status,
    currency: input.currency,
    printAreas: input.printAreas,
    ...(input.outputProfileId === undefined ? {} : { outputProfileId: input.outputProfileId }),
    options: input.options ?? [],
    variants: input.variants.map(toVariant),
    images: [],
    categories: input.categories ?? [],
    descriptionMarkdown: input.descriptionMarkdown ?? '',
    sort: input.sort ?? 0,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  }
  refuseInvalid(product)
  await refuseUnknownProfile(trx, product)
  product.images = await takeImages(trx, { ownerId: ownerOf(editor), images: input.images ?? [], now })
  await insertProduct(trx, product)
  await recordProduct(trx, { before: undefined, after: product, type: 'created', editor })
  return product
}

const ownerOf = (editor: Editor | undefined): string => editor?.userId ?? SHOP_OWNER

export interface ChangeOptions {
  editor?: Editor
  /** Throws if the locked product is not the version that the editor has seen. */
  requireVersion?(product: Product): void
}

/**
 * Replaces the given members of a product. A variant with an id keeps its id.
 *
 * @throws `product_not_found`, `product_invalid`, and what `requireVersion` throws
 */
export async function changeProduct(
  trx: Trx,
  id: string,
  changes: ProductChangesBody,
  now: Date,
  { editor, requireVersion }: ChangeOptions = {},
): Promise<Product> {
  const before = await lockProduct(trx, id)
  if (before === undefined) throw productProblems.product_not_found()
  requireVersion?.(before)
  const { variants, outputProfileId, images, ...rest } = changes
  if (variants !== undefined) refuseStrangeVariants(variants, before.variants)
  const product: Product = {
    ...before,
    ...rest,
    variants: variants?.map(toVariant) ?? before.variants,
    updatedAt: now,
  }
  if (outputProfileId === null) delete product.outputProfileId
  else if (outputProfileId !== undefined) product.outputProfileId = outputProfileId
  refuseInvalid(product)
  if (product.outputProfileId !== before.outputProfileId) await refuseUnknownProfile(trx, product)
  if (images !== undefined) product.images = await takeImages(trx, { ownerId: ownerOf(editor), images, now })
  const after = await updateProduct(trx, product)
  await recordProduct(trx, { before, after, type: typeOf(before, after), editor })
  return after
}

function typeOf(before: Product, after: Product): ChangeType {
  if (before.status === after.status) return 'changed'
  return after.status === 'archived' ? 'archived' : 'restored'
}

function toVariant({ id, sku, options = {}, weightGrams, priceTiers, available }: VariantInput): Variant {
  return { id: id ?? newId('variant'), sku, options, weightGrams, priceTiers, available: available ?? true }
}

function refuseInvalid(product: Product): void {
  const errors = checkProduct(product)
  if (errors.length > 0) throw productProblems.product_invalid({ errors })
}

/**
 * Locks the named profile until the transaction ends. After the commit, the foreign key of the product protects the
 * profile.
 */
async function refuseUnknownProfile(trx: Trx, { outputProfileId }: Product): Promise<void> {
  if (outputProfileId === undefined || (await lockColorProfile(trx, outputProfileId))) return
  const detail = 'No colour profile has this id.'
  const errors = [{ code: 'color_profile_unknown', pointer: '/outputProfileId', detail }]
  throw productProblems.product_invalid({ errors })
}

function refuseStrangeVariants(sent: VariantInput[], known: Variant[]): void {
  const left = new Set(known.map(({ id }) => id))
  const errors = sent.flatMap(({ id }, index) => {
    if (id === undefined || left.delete(id)) return []
    const detail = 'The product has no variant with this id, or an earlier entry has the same id.'
    return [{ code: 'variant_unknown', pointer: `/variants/${index}/id`, detail }]
  })
  if (errors.length > 0) throw productProblems.product_invalid({ errors })
}
