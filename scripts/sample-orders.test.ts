import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isOrderNumber } from '../src/orders/order/order-number.ts'
import { seedSampleCatalogue } from '../src/products/index.ts'
import { createDatabase, startService } from '../test/harness.ts'
import { isId } from '../test/ids.ts'
import { addSampleOrders } from './lib/sample-orders.ts'

test('sample orders look like orders of the service, and a seed reproduces them', async (t) => {
  const database = await createDatabase(t)
  const service = await startService(t, { database })
  const { accessToken: token, userId } = await service.signUp({ role: 'operator' })
  await seedSampleCatalogue(service.db, new Date())
  const until = new Date()
  const pool = new pg.Pool({ ...database, max: 1 })
  try {
    await addSampleOrders(pool, { orders: 300, seed: 1, until, customerId: userId })
    const first = await fingerprint(pool)
    await pool.query('truncate designs, orders, events, event_sequences cascade')
    await addSampleOrders(pool, { orders: 300, seed: 1, until, customerId: userId })
    assert.equal(await fingerprint(pool), first)
    // The rows of the second seed are added to those of the first.
    await addSampleOrders(pool, { orders: 100, seed: 2, until })
    const { rows: gaps } = await pool.query(`
      select subject from events left join event_sequences using (subject)
      group by subject, last having min(sequence) <> coalesce(last, 0) + 1 or max(sequence) - min(sequence) + 1 <> count(*)`)
    assert.deepEqual(gaps, [])
  } finally {
    await pool.end()
  }
  // The test service checks each response against its schema.
  const { body } = await service.request('GET', '/orders?limit=100', { token })
  assert.ok(body.data.length > 50)
  for (const { id, number } of body.data) {
    assert.ok(isId('order', id), id)
    assert.ok(isOrderNumber(number), number)
  }
  const { body: queue } = await service.request('GET', '/production/orders?limit=100', { token })
  assert.ok(queue.data.length > 20)
})

async function fingerprint(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query(`
    select md5(string_agg(md5(o::text || i::text || p::text || t::text), '' order by o.id, i.position, t.position)) as all
    from orders o join order_items i on i.order_id = o.id join payments p on p.order_id = o.id
    join order_timeline t on t.order_id = o.id`)
  return rows[0].all
}
