import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { HeldStatus, OrderStatus } from '../../order/state.ts'

/** What the check of an import knows of an order. */
export interface ShippableOrder {
  id: string
  number: string
  status: OrderStatus
  heldStatus: HeldStatus | null
  createdAt: Date
  shipments: { trackingNumber: string | null }[]
}

/** Finds orders by id or by number. It reads only what the check needs, because an import can name a thousand orders. */
export async function findShippable(
  db: Db,
  { ids, numbers }: { ids: readonly string[]; numbers: readonly string[] },
): Promise<ShippableOrder[]> {
  const { rows } = await sql<ShippableOrder>`
    select o.id, o.number, o.status, o.held_status as "heldStatus", o.created_at as "createdAt", coalesce((
      select json_agg(json_build_object('trackingNumber', s.tracking_number)) from shipments s where s.order_id = o.id
    ), '[]') as shipments
    from orders o
    where o.id in (
      select id from orders where id = any (${ids}::text[])
      union
      select id from orders where number = any (${numbers}::text[])
    )`.execute(db)
  return rows
}
