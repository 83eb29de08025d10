import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../../test/harness.ts'
import { type Person, startShop } from '../../orders/factory.ts'
import { noteNewcomer } from '../../platform/newcomers.ts'
import { addMails } from '../add-mails.ts'

test('new customers of one network take turns together, and every other customer takes its own', async (t) => {
  const shop = await startShop(t)
  const { db, service } = shop
  const networks = { many: [1, 1, 1, 0], other: [200, 2, 2, 0] }
  const ordersOf = new Map<string, string>()
  const orderAs = async (name: string, network?: number[], person?: Person) => {
    const { order, userId } = await shop.order(person === undefined ? {} : { person })
    if (network !== undefined)
      await db.transaction().execute((trx) => noteNewcomer(trx, userId, Uint8Array.from(network)))
    ordersOf.set(order.id, name)
  }
  for (const name of ['many-1', 'many-2', 'many-3']) await orderAs(name, networks.many)
  await orderAs('other network', networks.other)
  await orderAs('known')
  const person = await shop.signUp()
  for (const name of ['busy-1', 'busy-2']) await orderAs(name, undefined, person)
  await untilEventsVisible(db)
  await addMails({ db, clock: service.clock, config: { orderMails: true } })
  const { rows } = await sql<{ orderId: string; priority: number }>`
    select payload->>'orderId' as "orderId", priority from graphile_worker._private_jobs
    where payload->>'orderId' is not null`.execute(db)
  const priorities = Object.fromEntries(rows.map(({ orderId, priority }) => [ordersOf.get(orderId), priority]))
  assert.equal(rows.length, 7)
  assert.equal(priorities['other network'], priorities['known'])
  for (const name of ['many-1', 'many-2', 'many-3', 'busy-1', 'busy-2'])
    assert.ok((priorities[name] ?? 0) > (priorities['known'] ?? 0), name)
})
