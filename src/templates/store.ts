import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import { type CutRows, readCutRows } from '../platform/db/reading/size-cut.ts'
import type { DB } from '../platform/db/schema.generated.ts'
import { isId } from './ids.ts'

export interface Template {
  id: string
  productId: string
  name: string
  status: 'active' | 'archived'
  categories: string[]
  /** JSON text in the form in which it is stored and sent. Never changes. */
  documentJson: string
  /** The images of the document, which are assets of the shop. */
  assetIds: string[]
  createdAt: Date
  updatedAt: Date
}

/** A template without its document. */
export type TemplateSummary = Omit<Template, 'documentJson'>

const SUMMARY = ['id', 'product_id', 'name', 'status', 'categories', 'asset_ids', 'created_at', 'updated_at'] as const

const DOCUMENT = sql<string>`document::text`.as('document_json')

/** Finds an active template; undefined for an archived one, and for an unknown or malformed id. */
export async function findTemplate(db: Db | Trx, id: string): Promise<Template | undefined> {
  if (!isId('template', id)) return undefined
  const row = await db
    .selectFrom('templates')
    .select([...SUMMARY, DOCUMENT])
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst()
  return row && toTemplate(row)
}

/** Finds a template in any state and locks it against changes until the transaction ends. */
export async function lockTemplate(trx: Trx, id: string): Promise<Template | undefined> {
  if (!isId('template', id)) return undefined
  const row = await trx
    .selectFrom('templates')
    .select([...SUMMARY, DOCUMENT])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && toTemplate(row)
}

/** Finds the images of a template, even if it is archived, because designs that were made from it keep them. */
export async function findTemplateAssetIds(db: Db | Trx, id: string): Promise<string[]> {
  const row = await db.selectFrom('templates').select('asset_ids').where('id', '=', id).executeTakeFirst()
  return row?.asset_ids ?? []
}

export interface TemplateFilter {
  productId: string | undefined
  category: string | undefined
  status: Template['status']
  after: string | undefined
  limit: number
}

/**
 * Lists the active templates of active products, or the archived ones of all products, newest first, up to a limit of
 * number and size.
 */
export function listTemplates(db: Db, filter: TemplateFilter): Promise<CutRows<Template>> {
  const bytesOf = (id: RawBuilder<string>) =>
    sql`select 1000 + octet_length(document::text) from templates where id = ${id}`
  return readCutRows(db, { ids: selectPage(filter), bytesOf, limit: filter.limit }, async (page) => {
    const rows = await db
      .selectFrom('templates')
      .select([...SUMMARY, DOCUMENT])
      .where('id', '=', sql<string>`any(${page}::text[])`)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toTemplate)
  })
}

/** Lists templates as `listTemplates` does, without reading their documents. */
export function listTemplateSummaries(db: Db, filter: TemplateFilter): Promise<CutRows<TemplateSummary>> {
  const bytesOf = () => sql`select 1000`
  return readCutRows(db, { ids: selectPage(filter), bytesOf, limit: filter.limit }, async (page) => {
    const rows = await db
      .selectFrom('templates')
      .select(SUMMARY)
      .where('id', '=', sql<string>`any(${page}::text[])`)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toSummary)
  })
}

function selectPage({ productId, category, status, after, limit }: TemplateFilter): RawBuilder<unknown> {
  const isShown = sql`and exists (select from products p where p.id = t.product_id and p.status = 'active')`
  return sql`
    select t.id from templates t
    where t.status = ${sql.lit(status)} ${productId === undefined ? sql`` : sql`and t.product_id = ${productId}`}
      ${category === undefined ? sql`` : sql`and ${category} = any(t.categories)`}
      ${after === undefined ? sql`` : sql`and t.id < ${after}`}
      ${status === 'active' ? isShown : sql``}
    order by t.id desc limit ${limit + 1}::int`
}

export async function insertTemplate(trx: Trx, template: Template): Promise<void> {
  await trx
    .insertInto('templates')
    .values({
      id: template.id,
      product_id: template.productId,
      name: template.name,
      status: template.status,
      categories: template.categories,
      document: template.documentJson,
      asset_ids: template.assetIds,
      created_at: template.createdAt,
      updated_at: template.updatedAt,
    })
    .execute()
}

/** Updates the members that can change. */
export async function updateTemplate(trx: Trx, template: Template): Promise<void> {
  const { id, name, status, categories, updatedAt } = template
  await trx
    .updateTable('templates')
    .set({ name, status, categories, updated_at: updatedAt })
    .where('id', '=', id)
    .execute()
}

type SummaryRow = Pick<Selectable<DB['templates']>, (typeof SUMMARY)[number]>

function toTemplate(row: SummaryRow & { document_json: string }): Template {
  return { ...toSummary(row), documentJson: row.document_json }
}

function toSummary(row: SummaryRow): TemplateSummary {
  return {
    id: row.id,
    productId: row.product_id,
    name: row.name,
    status: row.status as Template['status'],
    categories: row.categories,
    assetIds: row.asset_ids,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
