import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { answering } from '../../../test/fakes/webhook-receiver.ts'
import { noteNewcomer } from '../../platform/newcomers.ts'
import { setDeleted } from '../endpoints/store.ts'
import { startWebhookScene, untilTrue } from '../factory.ts'
import { CUSTOMER_LOG_LENGTH, NEWCOMER_LOG_LENGTH } from './store.ts'

const FILLER = CUSTOMER_LOG_LENGTH + 20

test('the storage of deliveries is bounded', async (t) => {
  const scene = await startWebhookScene(t)
  const { service, receiver, signUp, addEndpoint, write, untilDeliveries, shift } = scene
  const { request, db } = service

  /** Inserts old deliveries, whose ids are less than those of new ones. */
  const fill = (endpointId: string, status: string, count = FILLER) =>
    sql`
      insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
      select 'dlv_00' || left(${status}, 1) || lpad(n::text, 5, '0') || right(${endpointId}, 16), ${endpointId}, 'evt_' || n, 'order.created', 'old',
        ${status}, now()
      from generate_series(1, ${count}::int) n`.execute(db)
  const count = async (endpointId: string, status: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from webhook_deliveries where endpoint_id = ${endpointId} and status = ${status}
    `.execute(db)
    return rows[0]?.count ?? 0
  }

  await t.test('endpoints of customers retain the latest ended deliveries, those of operators all', async () => {
    const [ada, oz] = [await signUp(), await signUp('operator')]
    const [own, staff] = [await addEndpoint(ada.token), await addEndpoint(oz.token)]
    await fill(own.id, 'failed')
    await fill(own.id, 'delivered')
    await fill(staff.id, 'delivered')
    const [subject] = await write({ ownerId: ada.userId })
    await untilTrue(async () => (await count(staff.id, 'delivered')) === FILLER + 1)
    await untilTrue(async () => (await count(own.id, 'delivered')) === CUSTOMER_LOG_LENGTH)
    assert.equal(await count(own.id, 'failed'), CUSTOMER_LOG_LENGTH)
    const [latest] = await scene.deliveries(ada.token, own.id)
    assert.deepEqual([latest.status, JSON.parse(latest.request.body).subject], ['delivered', subject])
    await db.transaction().execute((trx) => noteNewcomer(trx, ada.userId, Uint8Array.of(1, 2, 3, 0)))
    await write({ ownerId: ada.userId })
    await untilTrue(async () => (await count(own.id, 'delivered')) === CUSTOMER_LOG_LENGTH - 500 + 1)
    await write({ ownerId: ada.userId })
    await untilTrue(async () => (await count(own.id, 'delivered')) === NEWCOMER_LOG_LENGTH)
  })

  await t.test('the limit of pending deliveries counts all endpoints of a customer', async () => {
    const ada = await signUp()
    const [one, other, deleted] = [
      await addEndpoint(ada.token, '/one'),
      await addEndpoint(ada.token, '/other'),
      await addEndpoint(ada.token, '/deleted'),
    ]
    await fill(one.id, 'pending', 5_000)
    await fill(deleted.id, 'pending', 5_000)
    await db
      .transaction()
      .execute((trx) => setDeleted(trx, { ownerId: ada.userId, id: deleted.id }, service.clock.now()))
    const test = () => request('POST', `/webhook-endpoints/${other.id}/test`, { token: ada.token })
    const replay = (endpointId: string, token: string) =>
      request('POST', `/webhook-endpoints/${endpointId}/replay`, { token, body: { from: '2026-01-01T00:00:00Z' } })
    for (const full of [await test(), await replay(other.id, ada.token)]) {
      assert.deepEqual([full.status, full.body.code], [409, 'too_many_pending_deliveries'])
    }
    await sql`delete from webhook_deliveries where endpoint_id = ${deleted.id}`.execute(db)
    assert.equal((await test()).status, 202)
    const oz = await signUp('operator')
    const [full, empty] = [await addEndpoint(oz.token, '/full'), await addEndpoint(oz.token, '/empty')]
    await fill(full.id, 'pending', 10_000)
    assert.equal((await replay(empty.id, oz.token)).status, 202)
  })

  await t.test('only the latest attempts of a delivery keep the response', async () => {
    const ada = await signUp()
    receiver.behave(answering(500, { 'x-seen': 'shown' }, 'broken'), '/broken')
    const { id } = await addEndpoint(ada.token, '/broken')
    await write({ ownerId: ada.userId })
    for (let tries = 1; tries < 5; tries += 1) {
      await untilDeliveries(ada.token, id, ([one]) => one?.attempts.length === tries)
      shift(86_400)
    }
    const [delivery] = await untilDeliveries(ada.token, id, ([one]) => one?.attempts.length === 5)
    assert.deepEqual(
      delivery.attempts.map((one: object) => 'responseBody' in one && 'responseHeaders' in one),
      [false, false, true, true, true],
    )
    assert.ok(delivery.attempts.every(({ status }: { status: number }) => status === 500))
    assert.ok(delivery.request.url.endsWith('/broken'))
  })
})

test('below the minimum of free disk space, deliveries of customers wait and those of staff do not', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, signUp, addEndpoint, write, untilDeliveries, start } = scene
  let isFree = false
  service.services.webhooks.hasFreeDisk = async () => isFree
  const [ada, oz] = [await signUp(), await signUp('operator')]
  const [own, staff] = [await addEndpoint(ada.token, '/own'), await addEndpoint(oz.token, '/staff')]
  start()
  await write({ ownerId: ada.userId })
  const isDelivered = ([one]: { status?: string }[]): boolean => one?.status === 'delivered'
  await untilDeliveries(oz.token, staff.id, isDelivered)
  const [waiting] = await untilDeliveries(ada.token, own.id, (found) => found.length === 1)
  assert.deepEqual([waiting.status, waiting.attempts], ['pending', []])
  isFree = true
  await untilDeliveries(ada.token, own.id, isDelivered)
})
