import { sql } from 'kysely'
import type { TestService } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'

/**
 * Adds an endpoint with two pending deliveries and a delivered one, and a disabled endpoint with an older pending one.
 *
 * @returns when the older of the two was created
 */
export async function addPendingDeliveries({ db, request }: TestService, token: string): Promise<Date> {
  const add = async (): Promise<string> =>
    (await request('POST', '/webhook-endpoints', { token, body: { url: 'https://shop.example/' } })).body.id
  const [enabled, disabled] = [await add(), await add()]
  await request('PATCH', `/webhook-endpoints/${disabled}`, { token, body: { status: 'disabled' } })
  const oldest = new Date('2026-01-02T03:04:05.000Z')
  const deliver = (endpoint: string, status: string, hours: number) =>
    sql`
    insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
    values (${newId('delivery')}, ${endpoint}, ${newId('event')}, 'order.created', ${newId('order')}, ${status},
      ${oldest}::timestamptz + ${hours} * interval '1 hour')`.execute(db)
  await deliver(enabled, 'delivered', -2)
  await deliver(disabled, 'pending', -1)
  await deliver(enabled, 'pending', 0)
  await deliver(enabled, 'pending', 1)
  return oldest
}
