import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import type { DB } from '../platform/db/schema.generated.ts'
import { type CutRows, readCutRows } from '../platform/db/size-cut.ts'
import { isId } from './ids.ts'
import type { PrintArea, Product, ProductOption, Variant } from './schemas.ts'

const COLUMNS = [
  'id',
  'name',
  'description',
  'status',
  'currency',
  'print_areas',
  'output_profile_id',
  'options',
  'variants',
  'created_at',
  'updated_at',
] as const

/** Finds an active or archived product; undefined for an unknown or malformed id. */
export async function findProduct(db: Db, id: string): Promise<Product | undefined> {
  if (!isId('product', id)) return undefined
  const row = await db.selectFrom('products').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && toProduct(row)
}

interface VariantLabel {
  productId: string
  variantId: string
  productName: string
  /** Null if the product no longer has the variant. */
  sku: string | null
  options: Record<string, string> | null
}

/** Finds the present names of variants and their products. Products that do not exist are left out. */
export async function findVariantLabels(
  db: Db | Trx,
  keys: readonly Pick<VariantLabel, 'productId' | 'variantId'>[],
): Promise<VariantLabel[]> {
  const { rows } = await sql<VariantLabel>`
    select wanted.product_id as "productId", wanted.variant_id as "variantId", p.name as "productName",
      variant ->> 'sku' as sku, variant -> 'options' as options
    from (
      select distinct product_id, variant_id
      from unnest(${keys.map(({ productId }) => productId)}::text[], ${keys.map(({ variantId }) => variantId)}::text[])
        as given (product_id, variant_id)
    ) wanted
    join products p on p.id = wanted.product_id
    left join lateral (
      select one as variant from json_array_elements(p.variants) as one where one ->> 'id' = wanted.variant_id limit 1
    ) found on true`.execute(db)
  return rows
}

/** Finds a product and locks it against changes until the transaction ends. Returns undefined like `findProduct`. */
export async function lockProduct(trx: Trx, id: string): Promise<Product | undefined> {
  if (!isId('product', id)) return undefined
  const row = await trx.selectFrom('products').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst()
  return row && toProduct(row)
}

/** Lists products of one status, newest first, up to a limit of number and size. */
export function listProducts(
  db: Db,
  { status, after, limit }: { status: Product['status']; after: string | undefined; limit: number },
): Promise<CutRows<Product>> {
  const ids = sql`
    select id from products
    where status = ${status} and (${after ?? null}::text is null or id < ${after ?? null})
    order by id desc limit ${limit + 1}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`
    select 1000 + octet_length(description) + octet_length(print_areas::text) + octet_length(options::text)
      + octet_length(variants::text)
    from products where id = ${id}`
  return readCutRows(db, { ids, bytesOf, limit }, async (page) => {
    const rows = await db
      .selectFrom('products')
      .select(COLUMNS)
      .where('id', '=', sql<string>`any(${page}::text[])`)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toProduct)
  })
}

export async function insertProduct(trx: Trx, product: Product): Promise<void> {
  await trx.insertInto('products').values(toRow(product)).execute()
}

export async function updateProduct(trx: Trx, product: Product): Promise<void> {
  const { id, ...row } = toRow(product)
  await trx.updateTable('products').set(row).where('id', '=', id).execute()
}

/**
 * Returns whether the catalogue is empty. Prevents other transactions from adding a product until this transaction
 * ends.
 */
export async function lockEmptyCatalogue(trx: Trx): Promise<boolean> {
  await sql`lock table products in share row exclusive mode`.execute(trx)
  return (await trx.selectFrom('products').select('id').limit(1).executeTakeFirst()) === undefined
}

function toProduct(row: Pick<Selectable<DB['products']>, (typeof COLUMNS)[number]>): Product {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    status: row.status as Product['status'],
    currency: row.currency,
    printAreas: row.print_areas as unknown as PrintArea[],
    ...(row.output_profile_id === null ? {} : { outputProfileId: row.output_profile_id }),
    options: row.options as unknown as ProductOption[],
    variants: row.variants as unknown as Variant[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(product: Product) {
  return {
    id: product.id,
    name: product.name,
    description: product.description,
    status: product.status,
    currency: product.currency,
    print_areas: JSON.stringify(product.printAreas),
    output_profile_id: product.outputProfileId ?? null,
    options: JSON.stringify(product.options),
    variants: JSON.stringify(product.variants),
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  }
}
