import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'

test('an endpoint names the number of its failed deliveries, of which the first thousand are counted', async (t) => {
  const { db, request, signUp } = await startService(t)
  const { accessToken: token } = await signUp({ role: 'operator' })
  const add = async (): Promise<string> =>
    (await request('POST', '/webhook-endpoints', { token, body: { url: 'https://shop.example/' } })).body.id
  const [some, many] = [await add(), await add()]
  const deliver = async (endpoint: string, status: string, count: number) => {
    for (let n = 0; n < count; n += 1) {
      await sql`
        insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
        values (${newId('delivery')}, ${endpoint}, ${newId('event')}, 'order.created', ${newId('order')}, ${status}, now())`.execute(
        db,
      )
    }
  }
  await deliver(some, 'delivered', 1)
  await deliver(some, 'pending', 1)
  await deliver(some, 'failed', 2)
  await deliver(many, 'failed', 1_001)
  const { data } = (await request('GET', '/webhook-endpoints', { token })).body
  assert.deepEqual(
    data.map(({ id, failedDeliveries }: Record<string, unknown>) => [id, failedDeliveries]),
    [
      [many, 1_000],
      [some, 2],
    ],
  )
  assert.equal((await request('GET', `/webhook-endpoints/${some}`, { token })).body.failedDeliveries, 2)
})
