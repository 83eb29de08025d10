import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'
import { lockAdditions, recountPaid } from '../../platform/storage/index.ts'
import type { Order, OrderItem } from '../order/order.ts'

type CancelledOrder = Pick<Order, 'id'> & { items: readonly Pick<OrderItem, 'designId'>[] }

/**
 * Counts a cancelled order and its designs again towards the limit on what their owner stores without paying. The order
 * counts with at least the print files that were rendered for it. Designs in other paid orders do not count.
 */
export async function recountUnpaid(trx: Trx, { id: orderId, items }: CancelledOrder, now: Date): Promise<void> {
  // Another order of the same designs may be cancelled at the same time. The query after the lock sees its status.
  await lockAdditions(trx, [orderId, ...items.map(({ designId }) => designId)])
  const { rows } = await sql<{ subject: string; bytes: number }>`
    select ${orderId} as subject, coalesce(sum(bytes), 0)::bigint as bytes from (
      select distinct file ->> 'sha256' as sha256, (file ->> 'bytes')::bigint as bytes
      from item_files, json_array_elements(files) as file where order_id = ${orderId}
    ) files
    union all
    select distinct i.design_id, 0 from order_items i
    where i.order_id = ${orderId} and not exists (
      select from order_items other join orders o on o.id = other.order_id
      where other.finalization_id = i.finalization_id and o.id <> ${orderId}
        and o.status <> all(array['awaiting_payment', 'cancelled']))`.execute(trx)
  await recountPaid(trx, rows, now)
}
