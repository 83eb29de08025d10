import { call } from '../scripts/lib/client.ts'
import { againstBareRead } from './lib/against-bare-read.ts'
import { SHIPPING_ADDRESS } from './lib/basket.ts'
import { finalizedPostcards } from './lib/finalized.ts'
import type { Subject } from './lib/subject.ts'

/** The number of orders, which is the size of a page. */
const ORDERS = 20

/**
 * Reads the rows that the service reads for an order. Where an order has several rows, they are aggregated to JSON
 * text.
 */
const WHOLE = `
  select o.*, p.status as payment_status, p.method, p.reference, p.amount, p.captured_amount, p.refunded_amount,
    (select json_agg(i order by i.position) from order_items i where i.order_id = o.id) as items,
    (select json_agg(r order by r.id) from refunds r where r.payment_id = p.id) as refunds,
    (select json_agg(s order by s.id) from shipments s where s.order_id = o.id) as shipments,
    (select json_agg(t order by t.position) from order_timeline t where t.order_id = o.id) as timeline
  from orders o join payments p on p.order_id = o.id`

/**
 * Compares authenticated reads of an order, and of a page of orders, with a minimal server that reads the same rows.
 */
export async function benchOrderRead(subject: Subject): Promise<void> {
  const { base, token, connectionString } = subject
  const [designId] = await finalizedPostcards(subject, 1)
  const json = { items: [{ designId, quantity: 100 }], shippingAddress: SHIPPING_ADDRESS }
  let orderId = ''
  for (let made = 0; made < ORDERS; made += 1) {
    orderId = (await call('POST', `${base}/orders`, { token, json })).body.id
  }
  const { body: me } = await call('GET', `${base}/me`, { token })
  const common = { token, connectionString }
  await againstBareRead({
    ...common,
    figure: 'read an order',
    url: `${base}/orders/${orderId}`,
    statement: `${WHOLE} where o.id = $1`,
    value: orderId,
  })
  await againstBareRead({
    ...common,
    figure: 'list orders, a page of 20',
    url: `${base}/orders`,
    statement: `${WHOLE} where o.owner_id = $1 order by o.id desc limit 21`,
    value: me.id,
  })
}
