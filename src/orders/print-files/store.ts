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
