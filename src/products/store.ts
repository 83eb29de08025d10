import { type RawBuilder, type Selectable, sql } from 'kysely'
import { plannedEachTime } from '../platform/db/connections/preparing-client.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { type CutRows, readCutRows } from '../platform/db/reading/size-cut.ts'
import type { DB } from '../platform/db/schema.generated.ts'
import { isId } from './ids.ts'
import type { PrintArea, Product, ProductImage, ProductOption, Variant } from './schemas.ts'

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
  'images',
  'categories',
  'description_markdown',
  'sort',
  'revision',
  'created_at',
  'updated_at',
] as const

/** Finds an active or archived product; undefined for an unknown or malformed id. */
export async function findProduct(db: Db, id: string): Promise<Product | undefined> {
  if (!isId('product', id)) return undefined
  const row = await db.selectFrom('products').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && toProduct(row)
}

export async function isProduct(db: Db, id: string): Promise<boolean> {
  return (await findProductVersion(db, id)) !== undefined
}

/** Finds a text that differs after each change of a product; undefined like `findProduct`. It costs little to read. */
export async function findProductVersion(db: Db, id: string): Promise<string | undefined> {
  if (!isId('product', id)) return undefined
  const { rows } = await sql<{ version: string }>`
    select xmin::text || ' ' || updated_at::text as version from products where id = ${id}`.execute(db)
  return rows[0]?.version
}

/** Finds the images of a product without its other parts, which can have a megabyte; undefined like `findProduct`. */
export async function findProductImages(db: Db, id: string): Promise<ProductImage[] | undefined> {
  if (!isId('product', id)) return undefined
  const row = await db.selectFrom('products').select('images').where('id', '=', id).executeTakeFirst()
  return row && (row.images as unknown as ProductImage[])
}

/** The present names of a variant and its product. */
export interface VariantLabel {
  product_name: string
  /** Null if the product no longer has the variant. */
  sku: string | null
  options: Record<string, string> | null
}

/**
 * SQL that finds the labels of variants (`VariantLabel`), with the columns `product_id` and `variant_id`. Products that do
 * not exist are left out. A product can have a megabyte, so it is read once for each variant, however often that is given.
 *
 * @param given a query with the columns `product_id` and `variant_id`
 */
export function variantLabels(given: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select wanted.product_id, wanted.variant_id, p.name as product_name, variant ->> 'sku' as sku,
      variant -> 'options' as options
    from (select distinct product_id, variant_id from (${given}) given) wanted
    join products p on p.id = wanted.product_id
    left join lateral (
      select one as variant from json_array_elements(p.variants) as one where one ->> 'id' = wanted.variant_id limit 1
    ) found on true`
}

/** Finds a product and locks it against changes until the transaction ends. Returns undefined like `findProduct`. */
export async function lockProduct(trx: Trx, id: string): Promise<Product | undefined> {
  if (!isId('product', id)) return undefined
  const row = await trx.selectFrom('products').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst()
  return row && toProduct(row)
}

export interface ProductFilter {
  status: Product['status']
  category: string | undefined
  /** Words, or beginnings of words, of name, descriptions and categories. */
  words: string | undefined
  /** The last product of the previous page. */
  after: string | undefined
  limit: number
}

/** Equal numbers are in the order of the names. The id makes the order of equal names definite. */
const PLACE = sql`(p.sort, lower(p.name), p.id)`

/** Selects the ids of a page, and of the product after it. */
function selectIds({ status, category, words, after, limit }: ProductFilter): RawBuilder<unknown> {
  // `@>` can use an index, and `= any` cannot.
  const ofCategory = category === undefined ? sql`` : sql`and p.categories @> array[${category}]::text[]`
  // `offset 0` keeps the planner from reading all products in the order of the shop until enough of them have the words.
  const products =
    words === undefined
      ? sql`products`
      : sql`(select p.id, p.status, p.categories, p.sort, p.name from products p where ${hasWords(words)} offset 0)`
  return sql`
    select p.id from ${products} p
    where p.status = ${status} ${ofCategory}
      ${after === undefined ? sql`` : sql`and ${PLACE} > (select sort, lower(name), id from products where id = ${after})`}
    order by p.sort, lower(p.name), p.id limit ${limit + 1}::int`
}

/** A category can have one product or all of them. */
const isPlannedEachTime = ({ category }: ProductFilter): boolean => category !== undefined

/** Lists products of one status in the order of the shop, up to a limit of number and size. */
export function listProducts(db: Db, filter: ProductFilter): Promise<CutRows<Product>> {
  const { limit } = filter
  const ids = selectIds(filter)
  const bytesOf = (id: RawBuilder<string>) => sql`
    select 1000 + octet_length(description) + octet_length(print_areas::text) + octet_length(options::text)
      + octet_length(variants::text) + octet_length(images::text) + octet_length(categories::text)
      + octet_length(description_markdown)
    from products where id = ${id}`
  return readCutRows(db, { ids, bytesOf, limit, isPlannedEachTime: isPlannedEachTime(filter) }, async (page) => {
    const rows = await db
      .selectFrom('products')
      .select(COLUMNS)
      .where('id', '=', sql<string>`any(${page}::text[])`)
      .orderBy(sql`array_position(${page}::text[], id)`)
      .execute()
    return rows.map(toProduct)
  })
}

/** Finds a text that differs after each change of what `listProducts` returns. It costs little to read. */
export async function findListVersion(db: Db, filter: ProductFilter): Promise<string> {
  const { rows } = await sql<{ version: string | null }>`${isPlannedEachTime(filter) ? plannedEachTime : sql``}
    select md5(string_agg(concat_ws(' ', p.id, p.xmin, p.updated_at), ',' order by p.sort, lower(p.name), p.id)) as version
    from products p where p.id = any(array(${selectIds(filter)}))`.execute(db)
  return rows[0]?.version ?? ''
}

/** Lists the products that customers can choose, in the order of the shop, with the time of the last change. */
export async function listActiveIds(db: Db, limit: number): Promise<{ id: string; updatedAt: Date }[]> {
  const { rows } = await sql<{ id: string; updatedAt: Date }>`
    select p.id, p.updated_at as "updatedAt" from products p
    where p.status = 'active' order by ${PLACE} limit ${limit}::int`.execute(db)
  return rows
}

/** Lists the quantities from which prices of products of a status apply. */
export async function listPriceQuantities(db: Db, status: Product['status']): Promise<number[]> {
  const { rows } = await sql<{ quantity: number }>`
    select distinct (tier ->> 'minQuantity')::int as quantity
    from products p, json_array_elements(p.variants) variant, json_array_elements(variant -> 'priceTiers') tier
    where p.status = ${status} order by quantity`.execute(db)
  return rows.map(({ quantity }) => quantity)
}

/** The index `products_search` holds the words of all products. Anonymous visitors search, so no row may be read for it. */
function hasWords(words: string): RawBuilder<unknown> {
  return sql`
    product_search(p.name, p.description, p.description_markdown, p.categories) @@ search_query(${words})`
}

/** Finds the ids of the products with these names, active or archived. */
export async function findIdsByName(db: Db | Trx, names: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('products')
    .select(['id', 'name'])
    .where('name', '=', sql<string>`any(${[...names]}::text[])`)
    .orderBy('id')
    .execute()
  return new Map([...Map.groupBy(rows, ({ name }) => name)].map(([name, found]) => [name, found.map(({ id }) => id)]))
}

/** Prevents other imports from adding products until the transaction ends. */
export async function lockProductImports(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('products.import', 0))`.execute(trx)
}

export async function insertProduct(trx: Trx, product: Product): Promise<void> {
  await trx.insertInto('products').values(toRow(product)).execute()
}

/** Writes a product, and returns it with its new revision. */
export async function updateProduct(trx: Trx, product: Product): Promise<Product> {
  const { id, ...row } = toRow(product)
  const updated = await trx
    .updateTable('products')
    .set(row)
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return { ...product, revision: updated.revision }
}

export async function isCatalogueEmpty(db: Db | Trx): Promise<boolean> {
  return (await db.selectFrom('products').select('id').limit(1).executeTakeFirst()) === undefined
}

/**
 * Returns whether the catalogue is empty. Prevents other transactions from adding a product until this transaction
 * ends.
 */
export async function lockEmptyCatalogue(trx: Trx): Promise<boolean> {
  await sql`lock table products in share row exclusive mode`.execute(trx)
  return isCatalogueEmpty(trx)
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
    images: row.images as unknown as ProductImage[],
    categories: row.categories,
    descriptionMarkdown: row.description_markdown,
    sort: row.sort,
    revision: row.revision,
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
    images: JSON.stringify(product.images),
    categories: product.categories,
    description_markdown: product.descriptionMarkdown,
    sort: product.sort,
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  }
}
