import { sql } from 'kysely'
import type { FinalizationFile } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { ItemFilesStatus, OrderStatus } from '../order/state.ts'

export interface OrderToPrint {
  id: string
  number: string
  status: OrderStatus
  shippingAddress: Pick<PostalAddress, 'name' | 'line1'>
}

export interface ItemToPrint {
  id: string
  orderId: string
  /** From 0. */
  position: number
  quantity: number
  sku: string | null
  finalizationId: string
  hasTexts: boolean
  /** Null for an item without print files of its own. */
  filesStatus: ItemFilesStatus | null
  /** The print files of the item itself. */
  files: FinalizationFile[] | null
}

export async function findOrdersToPrint(db: Db, ids: readonly string[]): Promise<Map<string, OrderToPrint>> {
  const { rows } = await sql<OrderToPrint>`
    select id, number, status, json_build_object(
      'name', shipping_address ->> 'name', 'line1', shipping_address ->> 'line1') as "shippingAddress"
    from orders where id = any(${[...ids]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Lists the items of orders by their position. Reads no previews, texts and receipts, of which an order has many. */
export async function listItemsToPrint(db: Db, orderIds: readonly string[]): Promise<ItemToPrint[]> {
  const { rows } = await sql<ItemToPrint>`
    select i.id, i.order_id as "orderId", i.position, i.quantity, i.snapshot ->> 'sku' as sku,
      i.finalization_id as "finalizationId", coalesce(i.data::text <> '{}', false) as "hasTexts",
      own.status as "filesStatus", (
        select json_agg(file) from json_array_elements(own.files) as file where file ->> 'kind' = 'print') as files
    from order_items i left join item_files own on own.item_id = i.id
    where i.order_id = any(${[...orderIds]}::text[]) order by i.order_id, i.position`.execute(db)
  return rows
}

export interface PrintFilesSize {
  pages: number
  /** Of the different files. */
  bytes: number
}

/**
 * Sums up the print files of orders without reading them. An item with texts has a file of its own, which has the pages
 * of that of its design and about its size.
 */
export async function measurePrintFiles(db: Db, orderIds: readonly string[]): Promise<PrintFilesSize> {
  const { rows } = await sql<PrintFilesSize>`
    select coalesce(sum(used.items * file.pages), 0)::float8 as pages,
      coalesce(sum(used.files * file.bytes), 0)::float8 as bytes
    from (
      select finalization_id, count(*) as items,
        greatest(count(*) filter (where data::text <> '{}'), 1) as files
      from order_items where order_id = any(${[...orderIds]}::text[]) group by finalization_id
    ) as used, lateral (
      select sum(coalesce((one ->> 'pages')::int, 1)) as pages, sum((one ->> 'bytes')::float8) as bytes
      from finalizations f, json_array_elements(f.files) as one
      where f.id = used.finalization_id and one ->> 'kind' = 'print'
    ) as file`.execute(db)
  return rows[0] ?? { pages: 0, bytes: 0 }
}
